/** On every page: menus that close, and parts that come late. Without it everything works, a little slower. */
import { placeLateAsTheyCome } from './lib/late.ts'

placeLateAsTheyCome()

/** Menus close on Escape and by a click elsewhere, as those of a desktop do. */
document.addEventListener('keydown', (event) => {
  if (event.key !== 'Escape') return
  const open = document.querySelector<HTMLDetailsElement>('details.menu[open]')
  if (!open) return
  open.open = false
  open.querySelector('summary')?.focus()
})
document.addEventListener('click', ({ target }) => {
  for (const menu of document.querySelectorAll<HTMLDetailsElement>('details.menu[open]')) {
    if (target instanceof Node && !menu.contains(target)) menu.open = false
  }
})
