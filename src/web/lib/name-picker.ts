/** `<name-picker>`: a text field for names with commas between them, and below it those that fit, to tick. */
import { announce } from './announce.ts'

interface Offered {
  name: string
  label: string
  color?: string
}

const patience_ms = 150

export class NamePicker extends HTMLElement {
  #list: HTMLUListElement | null = null
  #late: ReturnType<typeof setTimeout> | undefined
  #asked = ''

  connectedCallback(): void {
    const field = this.#field
    if (!field || this.dataset.isReady) return
    this.dataset.isReady = 'true'
    field.autocomplete = 'off'
    field.addEventListener('focus', () => void this.#offer())
    field.addEventListener('input', () => {
      clearTimeout(this.#late)
      this.#late = setTimeout(() => void this.#offer(), patience_ms)
    })
    field.addEventListener('keydown', (event) => {
      const first = this.#list?.querySelector('input')
      if (event.key === 'Escape') this.#close()
      if (event.key !== 'ArrowDown' || !first) return
      event.preventDefault()
      first.focus()
    })
    this.addEventListener('focusout', ({ relatedTarget }) => {
      if (!(relatedTarget instanceof Node && this.contains(relatedTarget))) this.#close()
    })
  }

  get #field(): HTMLInputElement | null {
    return this.querySelector('input:not([type="checkbox"])')
  }

  /** The names in the field; the last one may be half typed. */
  #names(): string[] {
    return (this.#field?.value ?? '').split(',').map((name) => name.trim())
  }

  async #offer(): Promise<void> {
    const typed = this.#names().at(-1) ?? ''
    const isWhole = this.#list?.querySelector(`input[value="${CSS.escape(typed)}"]`)
    const search = isWhole ? '' : typed
    this.#asked = search
    const query = new URLSearchParams({ key: this.getAttribute('key') ?? '', search })
    const answer = await fetch(`${this.getAttribute('source')}?${query}`).catch(() => null)
    const found = answer?.ok ? ((await answer.json()) as Offered[]) : []
    if (this.#asked === search && this.contains(document.activeElement)) this.#show(found)
  }

  #show(found: Offered[]): void {
    const chosen = new Set(this.#names())
    const list = document.createElement('ul')
    list.className = 'picks'
    list.dataset.own = ''
    list.ariaLabel = 'Suggestions'
    list.append(...found.map((offered) => this.#row(offered, chosen.has(offered.name))))
    if (this.#list) this.#list.replaceWith(list)
    else this.append(list)
    this.#list = list
    announce(found.length === 0 ? 'No suggestions' : `${found.length} suggestions, below the field`)
    if (found.length === 0) this.#close()
  }

  #row({ name, label, color }: Offered, isChosen: boolean): HTMLLIElement {
    const box = Object.assign(document.createElement('input'), { type: 'checkbox', value: name, checked: isChosen })
    box.addEventListener('change', () => this.#toggle(name, box.checked))
    box.addEventListener('keydown', (event) => this.#move(event, box))
    const text = document.createElement('label')
    text.append(box, ...(color ? [dot(color)] : []), label)
    const row = document.createElement('li')
    row.append(text)
    return row
  }

  #move(event: KeyboardEvent, box: HTMLInputElement): void {
    const boxes = [...(this.#list?.querySelectorAll('input') ?? [])]
    const by = { ArrowDown: 1, ArrowUp: -1 }[event.key]
    if (event.key === 'Escape') {
      this.#field?.focus()
      this.#close()
    } else if (event.key === 'Enter') {
      event.preventDefault()
      this.closest('form')?.requestSubmit()
    } else if (by !== undefined) {
      event.preventDefault()
      const to = boxes[boxes.indexOf(box) + by] ?? this.#field
      to?.focus()
    }
  }

  /** What was half typed makes room for what was ticked. */
  #toggle(name: string, isChosen: boolean): void {
    const field = this.#field
    if (!field) return
    const offered = new Set([...(this.#list?.querySelectorAll('input') ?? [])].map(({ value }) => value))
    const half = this.#asked
    const kept = this.#names().filter((one) => one !== '' && one !== name && (one !== half || offered.has(one)))
    field.value = [...kept, ...(isChosen ? [name] : [])].join(', ')
    field.dispatchEvent(new Event('change', { bubbles: true }))
  }

  #close(): void {
    this.#list?.remove()
    this.#list = null
  }
}

function dot(color: string): SVGElement {
  const space = 'http://www.w3.org/2000/svg'
  const picture = document.createElementNS(space, 'svg')
  const circle = document.createElementNS(space, 'circle')
  for (const [name, value] of Object.entries({ class: 'dot', width: '10', height: '10', 'aria-hidden': 'true' }))
    picture.setAttribute(name, value)
  for (const [name, value] of Object.entries({ cx: '5', cy: '5', r: '5', fill: color })) circle.setAttribute(name, value)
  picture.append(circle)
  return picture
}
