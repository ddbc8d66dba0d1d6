/**
 * `<emoji-picker>`: finds emoji while one types, offers those chosen last in this browser, and shows people in the skin tone that is chosen
 * here. Each is a button of the form around it.
 */

import { announce } from './announce.ts'
import { chooseTone, chosenTone, type Emoji, inTone } from './skin-tones.ts'
import { t } from './words.ts'

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
    this.append(this.#tones(form), this.#shown)
    this.#show(recentEmoji(), t`Recent`)
    form.closest('details')?.addEventListener('toggle', () => retone(form))
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
    this.#show(
      found.map((one) => inTone(one, chosenTone())),
      t`Found`,
    )
    announce(found.length === 0 ? t`No emoji found` : t`${found.length} emoji found`)
  }

  /** A hand in each tone; the chosen one is pressed. */
  #tones(form: HTMLFormElement): HTMLElement {
    const tones = document.createElement('div')
    Object.assign(tones, { className: 'offered tones', role: 'group', ariaLabel: t`Skin tone` })
    tones.dataset.own = ''
    for (const tone of [0, 1, 2, 3, 4, 5]) {
      const button = buttonFor(inTone({ name: 'hand', emoji: '✋' }, tone))
      button.type = 'button'
      button.removeAttribute('name')
      button.ariaPressed = String(tone === chosenTone())
      button.addEventListener('click', () => {
        chooseTone(tone)
        for (const [index, other] of [...tones.children].entries()) other.ariaPressed = String(index === tone)
        retone(form)
      })
      tones.append(button)
    }
    return tones
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

/** Shows what a form offers in the tone of now. */
function retone(form: HTMLFormElement): void {
  for (const button of form.querySelectorAll<HTMLButtonElement>('button[name="name"]')) {
    const sign = button.querySelector<HTMLElement>('[data-name]')
    if (!sign) continue
    sign.dataset.plain ??= (sign.textContent ?? '').replace(/\p{Emoji_Modifier}/gu, '')
    const { name, emoji } = inTone({ name: button.value.replace(/_tone[1-5]$/, ''), emoji: sign.dataset.plain }, chosenTone())
    Object.assign(button, { value: name, title: `:${name}:` })
    sign.textContent = emoji
  }
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
