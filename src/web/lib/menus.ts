/** Closes menus on Escape and on a click elsewhere. */

const openMenus = () => document.querySelectorAll<HTMLDetailsElement>('details.menu[open]')

export function closeMenus(): void {
  document.addEventListener('keydown', (event) => {
    const [open] = openMenus()
    if (event.key !== 'Escape' || !open) return
    open.open = false
    open.querySelector('summary')?.focus()
  })
  const closeOthers = ({ target }: Event) => {
    for (const menu of openMenus()) if (target instanceof Node && !menu.contains(target)) menu.open = false
  }
  document.addEventListener('click', closeOthers)
  document.addEventListener('focusin', closeOthers)
}
