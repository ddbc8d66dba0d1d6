/**
 * `<file-tree>`: the files of a revision beside one of them, folder by folder, opened to where that is. Where there is no room beside it, a
 * button above it loads them.
 */
import { t } from './lib/words.ts'

interface Entry {
  name: string
  type: 'tree' | 'blob' | 'commit'
  address: string | null
}

const widthKey = 'file-tree width'
/** Each costs a request; a deeper file has the root alone beside it. */
const maxFolders = 30

class FileTree extends HTMLElement {
  connectedCallback(): void {
    if (this.querySelector('ul, button')) return
    this.#keepWidth()
    if (matchMedia('(min-width: 64rem)').matches) void this.#open()
    else this.append(this.#fold())
  }

  #fold(): HTMLButtonElement {
    const button = Object.assign(document.createElement('button'), { type: 'button', textContent: t`Files` })
    button.setAttribute('aria-expanded', 'false')
    button.addEventListener('click', async () => {
      const shown = this.querySelector('ul')
      if (shown) shown.hidden = !shown.hidden
      else await this.#open()
      button.setAttribute('aria-expanded', String(this.querySelector(':scope > ul:not([hidden])') !== null))
    })
    return button
  }

  /** All folders on the way at once, so that nothing moves twice. */
  async #open(): Promise<void> {
    const path = this.dataset.path ?? ''
    const folders = ['', ...path.split('/').slice(0, -1)].map((_, index, parts) => parts.slice(1, index + 1).join('/'))
    if (folders.length > maxFolders) folders.length = 1
    const lists = await Promise.all(folders.map((folder) => this.#listOf(folder)))
    let inner: HTMLUListElement | null = null
    for (let at = lists.length - 1; at >= 0; at -= 1) {
      const list = lists[at]
      if (!list) return
      const below = folders[at + 1]
      const row = below === undefined ? null : list.querySelector<HTMLElement>(`[data-folder="${CSS.escape(below)}"]`)
      if (row && inner) unfold(row, inner)
      inner = list
    }
    if (!inner) return
    this.append(inner)
    const current = this.querySelector<HTMLElement>('[aria-current]')
    // Without moving the page.
    if (current) this.scrollTop = Math.max(0, current.offsetTop - this.clientHeight / 2)
  }

  async #listOf(folder: string): Promise<HTMLUListElement | null> {
    const address = folder === '' ? this.dataset.entries : `${this.dataset.entries}/${folder.split('/').map(encodeURIComponent).join('/')}`
    const answer = await fetch(address ?? '', { headers: { accept: 'application/json' } }).catch(() => null)
    if (!answer?.ok) return null
    const { rows, left } = (await answer.json()) as { rows: Entry[]; left: number }
    const list = document.createElement('ul')
    // Folders first, as in the table.
    for (const entry of rows) list.append(this.#row(entry, folder))
    if (left > 0) {
      const more = document.createElement('li')
      more.className = 'hint'
      more.textContent = t`${left} more`
      list.append(more)
    }
    return list
  }

  #row({ name, type, address }: Entry, folder: string): HTMLLIElement {
    const path = folder === '' ? name : `${folder}/${name}`
    const row = document.createElement('li')
    const text = document.createElement('bdi')
    text.textContent = name
    if (type === 'tree') {
      const button = document.createElement('button')
      button.type = 'button'
      button.dataset.folder = path
      button.setAttribute('aria-expanded', 'false')
      button.append(text)
      button.addEventListener('click', () => void this.#toggle(button, path))
      row.append(button)
      return row
    }
    const link = document.createElement(address === null ? 'span' : 'a')
    if (address !== null) link.setAttribute('href', address)
    if (path === this.dataset.path) link.setAttribute('aria-current', 'page')
    link.append(text)
    row.append(link)
    return row
  }

  async #toggle(button: HTMLElement, path: string): Promise<void> {
    const shown = button.parentElement?.querySelector('ul')
    if (shown) {
      shown.hidden = !shown.hidden
      button.setAttribute('aria-expanded', String(!shown.hidden))
      return
    }
    const list = await this.#listOf(path)
    if (list) unfold(button, list)
  }

  /** It can be made wider, and stays so on the next page. */
  #keepWidth(): void {
    const known = Number(localStorage.getItem(widthKey))
    if (known >= 120 && known <= 800) this.style.inlineSize = `${known}px`
    this.addEventListener('pointerup', () => {
      if (this.style.inlineSize || this.style.width) localStorage.setItem(widthKey, String(Math.round(this.offsetWidth)))
    })
  }
}

function unfold(button: HTMLElement, list: HTMLUListElement): void {
  button.setAttribute('aria-expanded', 'true')
  button.after(list)
}

customElements.define('file-tree', FileTree)
