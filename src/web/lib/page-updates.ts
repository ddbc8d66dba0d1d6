/** `<page-updates>`: waits for changes of the page's content (pages/frame/live.ts) while the page is visible. */
import { t } from './words.ts'

/** So that the page loads first, and pages that are only passed through don't connect. */
const patience_ms = 3_000
const maxDelay_ms = 5 * 60_000

export class PageUpdates extends HTMLElement {
  #source: EventSource | null = null
  #late: ReturnType<typeof setTimeout> | undefined
  #failures = 0
  #onVisibility = () => this.#start()

  connectedCallback(): void {
    document.addEventListener('visibilitychange', this.#onVisibility)
    this.#start(this.getAttribute('then') === 'notice' ? patience_ms : 0)
  }

  disconnectedCallback(): void {
    document.removeEventListener('visibilitychange', this.#onVisibility)
    this.#stop()
  }

  #stop(): void {
    clearTimeout(this.#late)
    this.#source?.close()
    this.#source = null
  }

  #start(delay_ms = 0): void {
    this.#stop()
    if (!document.hidden) this.#late = setTimeout(() => this.#open(), delay_ms)
  }

  #open(): void {
    const query = new URLSearchParams({ topic: this.getAttribute('topic') ?? '', seen: this.getAttribute('seen') ?? '' })
    const source = new EventSource(`/-/live?${query}`)
    this.#source = source
    source.onopen = () => {
      this.#failures = 0
    }
    source.addEventListener('change', ({ lastEventId }) => {
      // Already shown, for example after a form of the same user.
      if (lastEventId === this.getAttribute('seen')) return
      this.setAttribute('seen', lastEventId)
      const then = this.getAttribute('then')
      if (then === 'refresh') refresh()
      else if (then === 'tell') this.dispatchEvent(new Event('changed', { bubbles: true }))
      else offer()
    })
    source.onerror = () => {
      // The browser reopens a lost connection, but not a rejected one.
      if (source.readyState !== EventSource.CLOSED) return
      this.#failures += 1
      if (this.#failures < 8) this.#start(Math.min(maxDelay_ms, 5_000 * 2 ** this.#failures) * (0.5 + Math.random()))
    }
  }
}

function refresh(): void {
  document.dispatchEvent(new Event('page:changed'))
}

/** Readers aren't interrupted until they want to see the change. */
function offer(): void {
  const place = document.querySelector('.notices')
  if (!place || place.querySelector('.changed')) return
  const notice = document.createElement('p')
  notice.className = 'notice changed'
  const button = document.createElement('button')
  button.type = 'button'
  button.textContent = t`Show`
  // The notice disappears with the old page.
  button.addEventListener('click', refresh)
  notice.append(t`This page has changed. `, button)
  place.append(notice)
}
