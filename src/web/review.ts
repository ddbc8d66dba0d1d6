/** On the changes of a merge request: jumps between unresolved discussions. */

class OpenTalks extends HTMLElement {
  connectedCallback(): void {
    this.addEventListener('click', this.#onClick)
  }

  #onClick = (event: MouseEvent): void => {
    const step = event.target instanceof Element ? event.target.closest<HTMLAnchorElement>('a[data-step]') : null
    if (!step || event.ctrlKey || event.metaKey || event.shiftKey) return
    const links = [...this.querySelectorAll<HTMLAnchorElement>('li a')]
    const at = links.findIndex(({ hash }) => hash !== '' && hash === location.hash)
    const by = Number(step.dataset.step)
    const next = at < 0 ? (by > 0 ? 0 : links.length - 1) : (at + by + links.length) % links.length
    const link = links[next]
    if (!link) return
    event.preventDefault()
    // It may be on this page, or in another part of the diff.
    if (link.hash !== '' && document.getElementById(link.hash.slice(1))) location.hash = link.hash
    else location.assign(link.href)
  }
}

customElements.define('open-talks', OpenTalks)
