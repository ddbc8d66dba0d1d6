/** `<ref-switch>`: the menu of branches and tags, filtered while the user types; Enter opens the first match. */

import { announce } from './lib/announce.ts'
import { t } from './lib/words.ts'

const patience_ms = 150

interface Found {
  rows: Array<{ name: string; address: string }>
  total: number
}

class RefSwitch extends HTMLElement {
  #late: ReturnType<typeof setTimeout> | undefined
  #turn = 0

  connectedCallback(): void {
    const [form, field] = [this.querySelector('form'), this.querySelector<HTMLInputElement>('[type="search"]')]
    if (!form || !field || this.dataset.isReady) return
    this.dataset.isReady = 'true'
    this.closest('details')?.addEventListener('toggle', ({ target }) => {
      if ((target as HTMLDetailsElement).open) field.focus()
    })
    field.addEventListener('input', () => {
      clearTimeout(this.#late)
      this.#late = setTimeout(() => void this.#filter(), patience_ms)
    })
    form.addEventListener('submit', (event) => void this.#leave(event, field.value.trim()))
    this.addEventListener('keydown', (event) => this.#move(event, field))
  }

  /** The server resolves a commit id, or a name without a match. */
  async #leave(event: SubmitEvent, typed: string): Promise<void> {
    event.preventDefault()
    clearTimeout(this.#late)
    await this.#filter()
    const links = this.#links()
    const link = links.find(({ textContent }) => textContent === typed) ?? links[0]
    if (link && typed !== '') location.assign(link.href)
    else (event.target as HTMLFormElement).submit()
  }

  /** Links of the visible list, or of the other one if it is empty. */
  #links(): HTMLAnchorElement[] {
    const all = [...this.querySelectorAll<HTMLAnchorElement>('ul a')]
    const shown = all.filter((link) => link.checkVisibility())
    return shown.length > 0 ? shown : all
  }

  async #filter(): Promise<void> {
    const form = this.querySelector('form')
    if (!form) return
    const query = new URLSearchParams(new FormData(form) as unknown as Record<string, string>)
    this.#turn += 1
    const turn = this.#turn
    const answer = await fetch(`${this.dataset.source}?${query}`).catch(() => null)
    if (!answer?.ok || turn !== this.#turn) return
    const found = (await answer.json()) as Record<'branches' | 'tags', Found>
    for (const list of this.querySelectorAll<HTMLUListElement>('ul')) {
      const kind = list.dataset.kind as keyof typeof found
      list.replaceChildren(...found[kind].rows.map(rowOf))
      const count = this.querySelector(`[for="ref-${kind}"] .count`)
      if (count) count.textContent = String(found[kind].total)
    }
    announce(t`${found.branches.total} branches, ${found.tags.total} tags`)
  }

  #move(event: KeyboardEvent, field: HTMLInputElement): void {
    const by = { ArrowDown: 1, ArrowUp: -1 }[event.key]
    if (by === undefined || (event.target as Element).matches('[type="radio"]')) return
    event.preventDefault()
    const stops = [field, ...this.#links()]
    const at = stops.findIndex((stop) => stop.matches(':focus'))
    stops[Math.max(0, at + by)]?.focus()
  }
}

function rowOf({ name, address }: Found['rows'][number]): HTMLLIElement {
  const [row, link, text] = [document.createElement('li'), document.createElement('a'), document.createElement('bdi')]
  text.textContent = name
  link.href = address
  link.append(text)
  row.append(link)
  return row
}

customElements.define('ref-switch', RefSwitch)
