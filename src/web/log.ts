/** The log of a job: follows it while the job runs, loads earlier lines in place, marks linked lines. */
import { announce } from './lib/announce.ts'

const rest_ms = 500

customElements.define(
  'job-log',
  class extends HTMLElement {
    #busy = false
    #again = false
    #onChange = () => void this.#follow()

    connectedCallback(): void {
      document.addEventListener('changed', this.#onChange)
      this.addEventListener('click', (event) => this.#click(event))
      if (this.hasAttribute('more')) void this.#follow()
      mark(true)
    }

    disconnectedCallback(): void {
      document.removeEventListener('changed', this.#onChange)
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
          const loaded = await load(this.getAttribute('next') ?? '')
          const log = loaded?.querySelector('job-log')
          if (!log) return
          more = this.#append(log)
          const status = log.getAttribute('status')
          if (more || status === this.getAttribute('status')) continue
          // The page now has other buttons, and the reason of a failure.
          announce(`The job is ${status}`)
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
      const isAtEnd = innerHeight + scrollY >= document.documentElement.scrollHeight - 40
      if (own && theirs && theirs.childElementCount > 0) {
        this.querySelector('.empty')?.remove()
        merge(own, theirs)
        if (isAtEnd) scrollTo({ top: document.documentElement.scrollHeight, behavior: 'instant' })
      }
      this.setAttribute('next', log.getAttribute('next') ?? '')
      return log.hasAttribute('more')
    }

    #click(event: MouseEvent): void {
      const link = event.target instanceof Element ? event.target.closest<HTMLAnchorElement>('.earlier a') : null
      if (!link) return
      event.preventDefault()
      void this.#before(link)
    }

    async #before(link: HTMLAnchorElement): Promise<void> {
      const loaded = await load(link.href)
      const log = loaded?.querySelector('job-log')
      const lines = log?.querySelector('.log')
      const own = this.querySelector('.log')
      if (!log || !lines || !own) return location.assign(link.href)
      const bottom = document.documentElement.scrollHeight - scrollY
      own.prepend(...[...lines.childNodes].map((node) => document.adoptNode(node)))
      const earlier = log.querySelector('.earlier')
      if (earlier) link.closest('.earlier')?.replaceWith(document.adoptNode(earlier))
      else link.closest('.earlier')?.remove()
      scrollTo({ top: document.documentElement.scrollHeight - bottom, behavior: 'instant' })
    }
  },
)

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

/** Scrolls to the line in the URL, and opens its section. */
function mark(scrolls: boolean): void {
  const [, number] = /^#L(\d{1,9})$/.exec(location.hash) ?? []
  const line = number && document.getElementById(`L${number}`)
  if (!line) return
  for (let section = line.closest('details'); section; section = section.parentElement?.closest('details') ?? null) section.open = true
  if (scrolls) line.scrollIntoView({ block: 'center' })
}

addEventListener('hashchange', () => mark(true))
