/** Opens trees of groups in place, one level at a time. Without scripts, the link leads to that level as a page. */

customElements.define(
  'open-children',
  class extends HTMLElement {
    connectedCallback(): void {
      const link = this.querySelector('a')
      if (!link || this.dataset.isReady) return
      this.dataset.isReady = 'true'
      link.setAttribute('role', 'button')
      link.setAttribute('aria-expanded', 'false')
      link.addEventListener('click', (event) => {
        if (event.ctrlKey || event.metaKey || event.shiftKey || event.button !== 0) return
        event.preventDefault()
        void toggle(link)
      })
      link.addEventListener('keydown', (event) => {
        if (event.key !== ' ') return
        event.preventDefault()
        void toggle(link)
      })
    }
  },
)

async function toggle(link: HTMLAnchorElement): Promise<void> {
  const row = link.closest('li')
  if (!row || link.getAttribute('aria-busy') === 'true') return
  const opened = row.querySelector<HTMLElement>(':scope > .children')
  if (opened) opened.hidden = link.getAttribute('aria-expanded') === 'true'
  else if (!(await load(link, row))) return
  link.setAttribute('aria-expanded', String(opened === null || !opened.hidden))
}

/** Whether the rows were loaded. If not, the page of the link shows why. */
async function load(link: HTMLAnchorElement, row: HTMLElement): Promise<boolean> {
  link.setAttribute('aria-busy', 'true')
  try {
    const answer = await fetch(link.href, { headers: { accept: 'text/html' } })
    const page = new DOMParser().parseFromString(await answer.text(), 'text/html')
    const list = page.querySelector('main > .tree')
    if (!answer.ok || !list) throw new Error(String(answer.status))
    const more = page.querySelector('main > .pages a[rel="next"]')
    const children = document.createElement('div')
    children.className = 'children'
    children.append(list)
    if (more) children.append(more)
    row.append(children)
    return true
  } catch {
    location.assign(link.href)
    return false
  } finally {
    link.removeAttribute('aria-busy')
  }
}
