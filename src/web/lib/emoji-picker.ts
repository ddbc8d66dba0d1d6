/** `<emoji-picker>`: finds emoji while one types, and offers those chosen last in this browser. Each is a button of the form around it. */

import { announce } from './announce.ts'
import { t } from './words.ts'

interface Emoji {
  name: string
  emoji: string
}

const patience_ms = 150
const storage = 'recent-emoji'
const maxRecent = 8
const maxFound = 24

export class EmojiPicker extends HTMLElement {
  #shown: HTMLElement | null = null
  #late: ReturnType<typeof setTimeout> | undefined
  /** The last query: answers to earlier ones are not wanted any more. */
  #asked = ''

  connectedCallback(): void {
    const field = this.querySelector('input')
    const form = this.closest('form')
    if (!field || !form || this.#shown) return
    this.#shown = document.createElement('div')
    this.#shown.className = 'offered'
    this.#shown.dataset.own = ''
    this.append(this.#shown)
    this.#show(recentEmoji(), t`Recent`)
    field.addEventListener('input', () => {
      clearTimeout(this.#late)
      this.#late = setTimeout(() => void this.#find(field.value.trim().replaceAll(':', '').toLowerCase()), patience_ms)
    })
    field.addEventListener('keydown', (event) => {
      const first = field.value === '' ? null : this.#shown?.querySelector('button')
      if (event.key !== 'Enter' || event.ctrlKey || event.metaKey || !first) return
      event.preventDefault()
      first.click()
    })
    form.addEventListener('submit', ({ submitter }) => {
      const emoji = submitter?.querySelector('[data-name]')?.textContent
      if (submitter instanceof HTMLButtonElement && submitter.name === 'name' && emoji) remember({ name: submitter.value, emoji })
    })
  }

  async #find(search: string): Promise<void> {
    this.#asked = search
    if (search === '') return this.#show(recentEmoji(), t`Recent`)
    const answer = await fetch(`/-/emoji?${new URLSearchParams({ search, limit: String(maxFound) })}`).catch(() => null)
    const found = answer?.ok ? ((await answer.json()) as Emoji[]) : []
    if (this.#asked !== search) return
    this.#show(found, t`Found`)
    announce(found.length === 0 ? t`No emoji found` : t`${found.length} emoji found`)
  }

  #show(emoji: readonly Emoji[], label: string): void {
    if (!this.#shown) return
    this.#shown.ariaLabel = label
    this.#shown.role = 'group'
    this.#shown.hidden = emoji.length === 0
    this.#shown.replaceChildren(...emoji.map(buttonFor))
  }
}

/** As the buttons that come with the page. */
function buttonFor({ name, emoji }: Emoji): HTMLButtonElement {
  const button = Object.assign(document.createElement('button'), { name: 'name', value: name, title: `:${name}:` })
  const sign = Object.assign(document.createElement('span'), { textContent: emoji })
  sign.dataset.name = name
  const words = Object.assign(document.createElement('span'), { className: 'unseen', textContent: name })
  button.append(sign, words)
  return button
}

function recentEmoji(): Emoji[] {
  try {
    const known: unknown = JSON.parse(localStorage.getItem(storage) ?? '[]')
    return Array.isArray(known) ? known.filter(isKept).slice(0, maxRecent) : []
  } catch {
    // The browser may store nothing, or something else under that name.
    return []
  }
}

function isKept(one: unknown): one is Emoji {
  const { name, emoji } = (one ?? {}) as Partial<Record<keyof Emoji, unknown>>
  return typeof name === 'string' && typeof emoji === 'string'
}

function remember(chosen: Emoji): void {
  const kept = [chosen, ...recentEmoji().filter(({ name }) => name !== chosen.name)].slice(0, maxRecent)
  try {
    localStorage.setItem(storage, JSON.stringify(kept))
  } catch {
    // The reaction is added all the same.
  }
}
