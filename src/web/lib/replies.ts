/** The key `r` and links to the field of a comment: what is selected is quoted there. Comments are quoted, and links to them copied. */

import { announce } from './announce.ts'
import { t } from './words.ts'

export function replyByKey(): void {
  // The key replies in the thread of the selection or the focus, or else at the end.
  for (const event of ['selectionchange', 'focusin'] as const) document.addEventListener(event, mark)
  mark()
  document.addEventListener('click', (event) => {
    const { target } = event
    const link = target instanceof Element ? target.closest<HTMLAnchorElement>('a[data-quote], a[data-copy-link]') : null
    if (link) {
      event.preventDefault()
      link.closest('details')?.removeAttribute('open')
      void (link.dataset.quote === undefined ? copyLink(link) : quoteSource(link))
      return
    }
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

/** Without https there is no clipboard for script: then the link leads to its place, where the address can be copied. */
async function copyLink({ href }: HTMLAnchorElement): Promise<void> {
  const place = href.replace(/[^#]*/, (page) => page.split('?')[0] ?? page)
  try {
    await navigator.clipboard.writeText(place)
    announce(t`Link copied`)
  } catch {
    location.assign(href)
  }
}

/** The comment as it was written, into the reply to its thread: the page that the link leads to has it in its form. */
async function quoteSource(link: HTMLAnchorElement): Promise<void> {
  const answer = await fetch(link.href, { headers: { accept: 'text/html' } }).catch(() => null)
  const text = answer?.ok
    ? new DOMParser().parseFromString(await answer.text(), 'text/html').querySelector<HTMLTextAreaElement>('#new-body')?.value
    : undefined
  if (text === undefined) return location.assign(link.href)
  const reply = link.closest('.thread')?.querySelector<HTMLDetailsElement>('details.reply')
  const field = (reply ?? document).querySelector<HTMLTextAreaElement>(reply ? 'textarea' : '#new-body')
  if (!field) return location.assign(link.href)
  if (reply) reply.open = true
  add(field, text)
}

/** Quotes the selection with `>`, below the text that was typed already, and focuses the field. */
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
    add(field, `${quoted}\n\n`)
  } else focusEnd(field)
}

/** Below what was typed already. */
function add(field: HTMLTextAreaElement, text: string): void {
  field.value = `${field.value === '' ? '' : `${field.value.trimEnd()}\n\n`}${text}`
  field.dispatchEvent(new Event('input', { bubbles: true }))
  focusEnd(field)
}

function focusEnd(field: HTMLTextAreaElement): void {
  // After the link has been followed, and the form has opened.
  setTimeout(() => {
    field.focus()
    field.setSelectionRange(field.value.length, field.value.length)
  })
}
