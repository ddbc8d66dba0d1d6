/** On pages of issues: pickers of names and emoji, focus in opened forms and menus, quotes, and selected rows. */
import { EmojiPicker } from './lib/emoji-picker.ts'
import { NamePicker } from './lib/name-picker.ts'
import { replyByKey } from './lib/replies.ts'
import { keepSelection } from './lib/selection.ts'

customElements.define('name-picker', NamePicker)
customElements.define('emoji-picker', EmojiPicker)
keepSelection()
replyByKey()

/** Focuses the first field of a section when it opens. */
document.addEventListener(
  'toggle',
  ({ target }) => {
    if (target instanceof HTMLDetailsElement && target.open && target.matches('.edit, .reply, .react, .filter-menu'))
      target.querySelector<HTMLElement>('input:not([type="hidden"]), select, textarea')?.focus()
  },
  true,
)
document.addEventListener('keydown', ({ key, target, defaultPrevented }) => {
  const open = target instanceof Element ? target.closest<HTMLDetailsElement>('details:is(.edit, .reply)[open]') : null
  if (key !== 'Escape' || defaultPrevented || !open || document.querySelector('.choices')) return
  open.open = false
  open.querySelector('summary')?.focus()
})

/** The address of a narrowed list names only what it is narrowed to. */
document.addEventListener('formdata', ({ target, formData }) => {
  if (!(target instanceof HTMLFormElement) || !target.matches('.list-filters')) return
  for (const [name, value] of [...formData]) if (value === '') formData.delete(name)
})
