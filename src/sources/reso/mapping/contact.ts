// Contacts: the listing's agent and office.

import type { Contact } from '../../../listings/draft.ts';
import type { FieldReader } from './decode.ts';

function known(contact: Contact): Contact | null {
  return Object.values(contact).some((value) => value !== null) ? contact : null;
}

function first(record: FieldReader, fields: readonly string[]): string | null {
  return fields.flatMap((field) => record.text(field) ?? [])[0] ?? null;
}

function agentName(record: FieldReader): string | null {
  const full = record.text('ListAgentFullName');
  if (full !== null) return full;
  const parts = ['ListAgentFirstName', 'ListAgentLastName'].flatMap((field) => record.text(field) ?? []);
  return parts.length === 0 ? null : parts.join(' ');
}

export function agent(record: FieldReader): Contact | null {
  return known({
    id: first(record, ['ListAgentKey', 'ListAgentMlsId']),
    name: agentName(record),
    phone: first(record, [
      'ListAgentPreferredPhone',
      'ListAgentDirectPhone',
      'ListAgentMobilePhone',
      'ListAgentOfficePhone',
    ]),
    email: record.text('ListAgentEmail'),
  });
}

export function office(record: FieldReader): Contact | null {
  return known({
    id: first(record, ['ListOfficeKey', 'ListOfficeMlsId']),
    name: record.text('ListOfficeName'),
    phone: record.text('ListOfficePhone'),
    email: record.text('ListOfficeEmail'),
  });
}
