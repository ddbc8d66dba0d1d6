/** On pages of issues: names to tick, forms that open ready to be typed in, quotes, and selected rows. */
import { NamePicker } from './lib/name-picker.ts'
import { replyByKey } from './lib/replies.ts'
import { keepSelection } from './lib/selection.ts'

customElements.define('name-picker', NamePicker)
keepSelection()
replyByKey()

/** A section that opens is there to be filled in. */
document.addEventListener(
  'toggle',
  ({ target }) => {
    if (target instanceof HTMLDetailsElement && target.open && target.matches('.edit, .reply'))
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
