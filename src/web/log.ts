/** The log of a job: follows it while the job runs, loads earlier and later lines in place, shows linked lines. */

import { announce } from './lib/announce.ts'
import { t } from './lib/words.ts'

const rest_ms = 500
/** A log that is followed loses its first lines beyond this, so that the page stays usable, and keeps so many. */
const maxLines = 10_000
const keptLines = 5_000
/** Lines that are shown behind a linked one that was not on the page. */
const linesBehind = 1_000
const maxScrolls = 30

customElements.define(
  'job-log',
  class extends HTMLElement {
    #busy = false
    #again = false
    #isPaused = false
    #onChange = () => void this.#follow()
    #onScroll = () => {
      if (this.#isPaused && isAtEnd()) void this.#follow()
    }

    connectedCallback(): void {
      document.addEventListener('changed', this.#onChange)
      document.addEventListener('scroll', this.#onScroll, { passive: true })
      this.addEventListener('click', (event) => this.#click(event))
      mark()
    }

    disconnectedCallback(): void {
      document.removeEventListener('changed', this.#onChange)
      document.removeEventListener('scroll', this.#onScroll)
    }

    /** Appends new output; when the status changes, refreshes the whole page. */
    async #follow(): Promise<void> {
      if (this.#busy) {
        this.#again = true
        return
      }
      this.#busy = true
      try {
        let more = true
        while (more && this.isConnected) {
          // A reader above the end of a long log gets no more lines and loses none. Only the status is asked for.
          this.#isPaused = this.querySelectorAll('.log [id]').length >= maxLines && !isAtEnd()
          const loaded = await load(this.#isPaused ? addressBefore(1) : (this.getAttribute('next') ?? ''))
          const log = loaded?.querySelector('job-log')
          if (!log) return
          more = !this.#isPaused && this.#append(log)
          const status = log.getAttribute('status')
          if (more || status === this.getAttribute('status')) continue
          // The page now has other buttons, and the reason of a failure.
          announce(t`The job is ${status ?? ''}`)
          document.dispatchEvent(new Event('page:changed'))
        }
      } finally {
        this.#busy = false
        setTimeout(() => {
          if (!this.#again) return
          this.#again = false
          void this.#follow()
        }, rest_ms)
      }
    }

    /** Whether more can be read immediately. */
    #append(log: Element): boolean {
      const own = this.querySelector('.log')
      const theirs = log.querySelector('.log')
      const stays = isAtEnd()
      if (own && theirs && theirs.childElementCount > 0) {
        this.querySelector('.empty')?.remove()
        merge(own, theirs)
        if (stays) {
          this.#shorten(own)
          scrollTo({ top: document.documentElement.scrollHeight, behavior: 'instant' })
        }
      }
      this.setAttribute('next', log.getAttribute('next') ?? '')
      return log.querySelector('.later') !== null
    }

    #shorten(own: Element): void {
      const lines = own.querySelectorAll('[id]')
      const first = lines.length > maxLines ? lines[lines.length - keptLines] : undefined
      if (!first) return
      removeBefore(first, own)
      const link = document.createElement('a')
      link.className = 'button'
      link.href = addressBefore(numberOf(first))
      link.textContent = t`Show earlier lines`
      const earlier = document.createElement('p')
      earlier.className = 'earlier'
      earlier.append(link)
      this.querySelector('.earlier')?.remove()
      own.before(earlier)
    }

    #click(event: MouseEvent): void {
      const link = event.target instanceof Element ? event.target.closest<HTMLAnchorElement>(':is(.earlier, .later) a') : null
      if (!link) return
      event.preventDefault()
      void (link.closest('.later') ? this.#after(link) : this.#before(link))
    }

    async #before(link: HTMLAnchorElement): Promise<void> {
      const log = (await load(link.href))?.querySelector('job-log')
      const lines = log?.querySelector('.log')
      const own = this.querySelector('.log')
      if (!log || !lines || !own) return location.assign(link.href)
      const bottom = document.documentElement.scrollHeight - scrollY
      own.prepend(...[...lines.childNodes].map((node) => document.adoptNode(node)))
      replace(link.closest('.earlier'), log.querySelector('.earlier'))
      scrollTo({ top: document.documentElement.scrollHeight - bottom, behavior: 'instant' })
    }

    async #after(link: HTMLAnchorElement): Promise<void> {
      const log = (await load(link.href))?.querySelector('job-log')
      const lines = log?.querySelector('.log')
      const own = this.querySelector('.log')
      if (!log || !lines || !own) return location.assign(link.href)
      merge(own, lines)
      replace(link.closest('.later'), log.querySelector('.later'))
    }
  },
)

function isAtEnd(): boolean {
  return innerHeight + scrollY >= document.documentElement.scrollHeight - 40
}

/** The address of the part of the log before a line. */
function addressBefore(line: number): string {
  return `${location.pathname.replace(/\/log$/, '')}/log?before=${line}`
}

function numberOf(line: Element): number {
  return Number(line.id.slice(1))
}

/** The old element goes where there is no new one. */
function replace(old: Element | null, loaded: Element | null): void {
  if (loaded) old?.replaceWith(document.adoptNode(loaded))
  else old?.remove()
}

/** Removes all lines before one. Of sections that it is in, the titles stay; lines that are loaded again have their numbers. */
function removeBefore(line: Element, log: Element): void {
  for (let at = line; at !== log; at = at.parentElement as Element) {
    while (at.previousElementSibling && at.previousElementSibling.localName !== 'summary') at.previousElementSibling.remove()
    at.previousElementSibling?.removeAttribute('id')
  }
}

async function load(address: string): Promise<Document | null> {
  const answer = await fetch(address, { headers: { accept: 'text/html' } }).catch(() => null)
  return answer?.ok ? new DOMParser().parseFromString(await answer.text(), 'text/html') : null
}

/** Appends lines; those of an open section go into it. */
function merge(own: Element, theirs: Element): void {
  for (const node of [...theirs.children]) {
    const last = own.lastElementChild
    if (node.matches('details[data-continues]') && last instanceof HTMLDetailsElement) {
      node.querySelector(':scope > summary')?.remove()
      merge(last, node)
    } else own.append(document.adoptNode(node))
  }
}

/** Scrolls to the line in the URL, and opens its section. One that is before those on the page has a page of its own. */
function mark(): void {
  const [, number] = /^#L(\d{1,9})$/.exec(location.hash) ?? []
  const line = number && document.getElementById(`L${number}`)
  if (number && !line) showElsewhere(Number(number))
  if (!line) return
  for (let section = line.closest('details'); section; section = section.parentElement?.closest('details') ?? null) section.open = true
  scrollTowards(line, maxScrolls)
}

/** Lines have their heights only once they are near the window: where those above wrap, the line is elsewhere after the first time. */
function scrollTowards(line: Element, times: number): void {
  line.scrollIntoView({ block: 'center', behavior: 'instant' })
  requestAnimationFrame(() => {
    const { top, bottom } = line.getBoundingClientRect()
    if (times > 1 && (top < 0 || bottom > innerHeight)) scrollTowards(line, times - 1)
  })
}

function showElsewhere(number: number): void {
  const first = document.querySelector('.log [id]')
  if (!first || number >= numberOf(first)) return
  const address = addressBefore(number + linesBehind)
  // The line may be missing there, too, if the lines after it are very long: loading the same page again would never end.
  if (location.pathname + location.search !== address) location.replace(`${address}#L${number}`)
}

addEventListener('hashchange', mark)
// The browser then goes to where the line seemed to be.
addEventListener('load', mark)
