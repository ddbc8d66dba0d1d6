/** Parts of a page that are sent after their place (`late` in pages/frame/parts.ts). */

/** Moves the late parts of a page into their places. */
export function placeLate(page: ParentNode & Node): void {
  for (const template of page.querySelectorAll<HTMLTemplateElement>('template[data-late]')) {
    const place = page.querySelector(`#${CSS.escape(template.dataset.late ?? '')}`)
    template.remove()
    place?.replaceChildren(template.content)
  }
}

/** Calls `placeLate` for each part of this page that has yet to arrive. */
export function placeLateAsTheyCome(): void {
  const place = () => placeLate(document)
  place()
  if (document.readyState !== 'loading') return
  const watch = new MutationObserver(place)
  watch.observe(document.body, { childList: true, subtree: true })
  document.addEventListener('DOMContentLoaded', () => {
    watch.disconnect()
    place()
  })
}
