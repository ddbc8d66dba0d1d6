/** Finds files while the user types: the list of all paths is loaded once, and searched here. */
import { rank } from './lib/fuzzy.ts'

const maxShown = 50

class FileFinder extends HTMLElement {
  #paths: Promise<string[]> | null = null
  #turn = 0

  connectedCallback(): void {
    const input = this.querySelector('input')
    if (!input) return
    input.addEventListener('input', () => this.#find(input.value))
    input.addEventListener('keydown', (event) => this.#move(event))
    input.form?.addEventListener('submit', (event) => {
      const chosen = this.querySelector<HTMLAnchorElement>('a[aria-current]')
      if (!chosen) return
      event.preventDefault()
      chosen.click()
    })
    input.focus()
  }

  #load(): Promise<string[]> {
    this.#paths ??= fetch(this.dataset.list ?? '').then((answer) => {
      if (!answer.ok) throw new Error(String(answer.status))
      return answer.json()
    })
    return this.#paths
  }

  async #find(query: string): Promise<void> {
    this.#turn += 1
    const turn = this.#turn
    const paths = await this.#load().catch(() => null)
    // Without the list, the form asks the server.
    if (!paths || turn !== this.#turn) return
    const list = this.querySelector('ul')
    list?.replaceChildren(...rank(paths, query.trim(), maxShown).map((path, index) => this.#row(path, index === 0)))
  }

  #row(path: string, isFirst: boolean): HTMLLIElement {
    const row = document.createElement('li')
    const link = document.createElement('a')
    const name = document.createElement('bdi')
    name.textContent = path
    link.href = `${this.dataset.blob}/${path.split('/').map(encodeURIComponent).join('/')}`
    if (isFirst) link.setAttribute('aria-current', 'true')
    link.append(name)
    row.append(link)
    return row
  }

  #move(event: KeyboardEvent): void {
    const step = { ArrowDown: 1, ArrowUp: -1 }[event.key]
    const links = [...this.querySelectorAll<HTMLAnchorElement>('ul a')]
    if (step === undefined || links.length === 0) return
    event.preventDefault()
    const at = links.findIndex((link) => link.hasAttribute('aria-current'))
    const next = (at + step + links.length) % links.length
    links[at]?.removeAttribute('aria-current')
    links[next]?.setAttribute('aria-current', 'true')
    links[next]?.scrollIntoView({ block: 'nearest' })
  }
}

customElements.define('file-finder', FileFinder)
