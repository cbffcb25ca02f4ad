// Script of the pages: a button beside code that copies it. Without it, or where nothing can be copied, there is no button.

/** Inline: its hash stands in the policy of the pages. */
export const COPY_SCRIPT = `
if (navigator.clipboard) for (const block of document.querySelectorAll('.code')) {
  const button = document.createElement('button');
  button.type = 'button';
  button.className = 'copy';
  button.textContent = 'Copy';
  button.setAttribute('aria-live', 'polite');
  button.onclick = async () => {
    await navigator.clipboard.writeText(block.querySelector('pre').textContent);
    button.textContent = 'Copied';
  };
  button.onblur = () => { button.textContent = 'Copy'; };
  block.append(button);
}
`.trim();
