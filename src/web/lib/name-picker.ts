/**
 * `<name-picker>`: a text field for names separated by commas, with a list of matches below it. With `single` a choice replaces the one
 * before; with `submits` it sends the form at once.
 */

import { announce } from './announce.ts'
import { t } from './words.ts'

interface Offered {
  name: string
  label: string
  color?: string
}

const patience_ms = 150

export class NamePicker extends HTMLElement {
  #list: HTMLUListElement | null = null
  #late: ReturnType<typeof setTimeout> | undefined
  /** The last query; null if its answer isn't wanted any more. */
  #asked: string | null = null
  /** Whether the last name is being typed. */
  #isTyping = false
  /** Whether the pointer is choosing a name: the focus returns to the field then. */
  #isPointing = false

  connectedCallback(): void {
    const field = this.#field
    if (!field || this.dataset.isReady) return
    this.dataset.isReady = 'true'
    field.autocomplete = 'off'
    field.addEventListener('focus', () => {
      field.setSelectionRange(field.value.length, field.value.length)
      void this.#offer('')
    })
    field.addEventListener('input', () => {
      this.#isTyping = true
      clearTimeout(this.#late)
      this.#late = setTimeout(() => void this.#offer(this.#lastName), patience_ms)
    })
    field.addEventListener('keydown', (event) => this.#type(event))
    // Another field of the form closes the list; buttons don't, so that they stay in place and can be clicked.
    this.addEventListener('focusout', ({ relatedTarget }) => {
      if (relatedTarget instanceof Element && !this.contains(relatedTarget) && !relatedTarget.closest('button')) this.#close()
    })
  }

  get #field(): HTMLInputElement | null {
    return this.querySelector('input:not([type="checkbox"])')
  }

  get #boxes(): HTMLInputElement[] {
    return [...(this.#list?.querySelectorAll('input') ?? [])]
  }

  /** The names in the field; the last one may be incomplete. */
  #names(): string[] {
    return (this.#field?.value ?? '').split(',').map((name) => name.trim())
  }

  get #lastName(): string {
    return this.#names().at(-1) ?? ''
  }

  #type(event: KeyboardEvent): void {
    const [first] = this.#boxes
    if (event.key === 'Escape' && this.#list) this.#leave(event)
    else if (event.key === 'ArrowDown' && first) {
      event.preventDefault()
      first.focus()
    } else if (event.key === 'Enter' && !event.ctrlKey && !event.metaKey && this.#isHalfTyped()) {
      event.preventDefault()
      void this.#complete()
    }
  }

  /** Whether the last name is incomplete: not among the suggestions loaded so far. */
  #isHalfTyped(): boolean {
    const typed = this.#lastName
    return typed !== '' && !this.#boxes.some(({ value }) => value.toLowerCase() === typed.toLowerCase())
  }

  /** The first suggestion replaces an incomplete name. Without one, the form is sent unchanged. */
  async #complete(): Promise<void> {
    clearTimeout(this.#late)
    await this.#offer(this.#lastName)
    const [first] = this.#boxes
    if (!first || !this.#isHalfTyped()) return this.#submit()
    first.checked = true
    this.#toggle(first.value, true)
  }

  async #offer(search: string): Promise<void> {
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
    list.ariaLabel = t`Suggestions`
    list.append(...found.map((offered) => this.#row(offered, chosen.has(offered.name))))
    list.addEventListener('mousedown', (event) => {
      event.preventDefault()
      this.#isPointing = true
    })
    if (this.#list) this.#list.replaceWith(list)
    else this.#field?.after(list)
    this.#list = list
    announce(found.length === 0 ? t`No suggestions` : t`${found.length} suggestions, below the field`)
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
    const boxes = this.#boxes
    const by = { ArrowDown: 1, ArrowUp: -1 }[event.key]
    if (event.key === 'Escape') this.#leave(event)
    else if (event.key === 'Enter') {
      event.preventDefault()
      if (!this.hasAttribute('submits') || box.checked) this.#submit()
      else {
        box.checked = true
        this.#toggle(box.value, true)
      }
    } else if (by !== undefined) {
      event.preventDefault()
      const to = boxes[boxes.indexOf(box) + by] ?? this.#field
      to?.focus()
    }
  }

  /** Escape closes the list and keeps the choice; the next Escape closes the form around it. */
  #leave(event: KeyboardEvent): void {
    event.preventDefault()
    this.#field?.focus()
    this.#asked = null
    this.#close()
  }

  /** A chosen name replaces what was half typed. */
  #toggle(name: string, isChosen: boolean): void {
    const field = this.#field
    if (!field) return
    const isSingle = this.hasAttribute('single')
    const offered = new Set(this.#boxes.map(({ value }) => value))
    const half = this.#isTyping && !offered.has(this.#lastName) ? this.#lastName : ''
    const kept = isSingle ? [] : this.#names().filter((one) => ![name, half, ''].includes(one))
    this.#isTyping = false
    field.value = [...kept, ...(isChosen ? [name] : [])].join(', ')
    field.setSelectionRange(field.value.length, field.value.length)
    if (isSingle) for (const box of this.#boxes) box.checked = isChosen && box.value === name
    field.dispatchEvent(new Event('change', { bubbles: true }))
    if (this.hasAttribute('submits')) this.#submit()
    else if (this.#isPointing) field.focus()
    this.#isPointing = false
  }

  #submit(): void {
    this.closest('form')?.requestSubmit()
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
