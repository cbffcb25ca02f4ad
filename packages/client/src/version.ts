// The version of this client: that of the service whose document it is generated from. A release writes it.

export const VERSION = '0.2.0';
