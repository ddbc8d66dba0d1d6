/** The key `r` and links to the comment field: they quote the selected text there. */

export function replyByKey(): void {
  // The key replies in the thread of the selection or the focus, or else at the end.
  for (const event of ['selectionchange', 'focusin'] as const) document.addEventListener(event, mark)
  mark()
  document.addEventListener('click', ({ target }) => {
    const opener = target instanceof Element ? target.closest<HTMLElement>('.thread .reply > summary, [href="#new-body"]') : null
    const field = opener && (opener.parentElement?.matches('.reply') ? opener.parentElement : document).querySelector('textarea')
    const comment = opener?.matches('[href="#new-body"]') ? document.querySelector<HTMLTextAreaElement>('#new-body') : field
    if (opener && comment) quote(comment)
  })
}

function mark(): void {
  const selected = getSelection()
  const at = selected && !selected.isCollapsed ? selected.anchorNode : document.activeElement
  const within = at instanceof Element ? at : at?.parentElement
  const thread = within?.closest('.thread')?.querySelector<HTMLElement>('.reply > summary')
  const own = thread ?? document.querySelector<HTMLElement>('.to-reply')
  if (own?.dataset.key === 'r') return
  for (const marked of document.querySelectorAll<HTMLElement>('[data-key="r"]')) delete marked.dataset.key
  if (own) own.dataset.key = 'r'
}

/** Appends the selected text as lines after `>`, and focuses the field. */
function quote(field: HTMLTextAreaElement): void {
  const selection = getSelection()
  const anchor = selection?.anchorNode
  const place = anchor instanceof Element ? anchor : anchor?.parentElement
  const text = place?.closest('.prose') ? (selection?.toString().trim() ?? '') : ''
  if (text !== '') {
    const quoted = text
      .split('\n')
      .map((line) => `> ${line}`)
      .join('\n')
    field.value = `${field.value === '' ? '' : `${field.value.trimEnd()}\n\n`}${quoted}\n\n`
    field.dispatchEvent(new Event('input', { bubbles: true }))
  }
  // After the browser has followed the link and the form has opened.
  setTimeout(() => {
    field.focus()
    field.setSelectionRange(field.value.length, field.value.length)
  })
}
