/**
 * Boards: dragging a card submits the form that moves it, which works without scripts as well. Changes by others are shown
 * between two moves.
 */

import { announce } from './lib/announce.ts'
import { t } from './lib/words.ts'

customElements.define(
  'issue-board',
  class extends HTMLElement {
    #dragged: HTMLElement | null = null
    #isStale = false

    connectedCallback(): void {
      this.addEventListener('dragstart', (event) => this.#start(event))
      this.addEventListener('dragover', (event) => this.#over(event))
      this.addEventListener('drop', (event) => this.#drop(event))
      this.addEventListener('dragend', () => this.#end())
      this.addEventListener('changed', () => {
        this.#isStale = true
        this.#catchUp()
      })
      this.addEventListener('toggle', () => this.#catchUp(), true)
    }

    /** Waits while a card is dragged or a menu is open, which a new board would take from the user's hand. */
    #catchUp(): void {
      if (!this.#isStale || this.#dragged || this.querySelector('details[open]')) return
      this.#isStale = false
      document.dispatchEvent(new Event('page:changed'))
    }

    #start({ target, dataTransfer }: DragEvent): void {
      const card = target instanceof Element ? target.closest<HTMLElement>('.card[draggable]') : null
      if (!card || !dataTransfer) return
      this.#dragged = card
      card.classList.add('dragged')
      dataTransfer.effectAllowed = 'move'
      dataTransfer.setData('text/plain', card.dataset.issue ?? '')
    }

    /** Moves the card while dragging, to show where it would be. */
    #over(event: DragEvent): void {
      const column = event.target instanceof Element ? event.target.closest('.column')?.querySelector('ol') : null
      const dragged = this.#dragged
      if (!column || !dragged) return
      event.preventDefault()
      const below = [...column.querySelectorAll<HTMLElement>('.card')].find((card) => {
        const { top, height } = card.getBoundingClientRect()
        return card !== dragged && event.clientY < top + height / 2
      })
      column.insertBefore(dragged, below ?? null)
    }

    #drop(event: DragEvent): void {
      const dragged = this.#dragged
      const form = dragged?.querySelector('form')
      const column = dragged?.closest<HTMLElement>('[data-column]')?.dataset.column
      if (!dragged || !form || column === undefined) return
      event.preventDefault()
      const neighbour = (name: string, card: Element | null) => {
        if (card instanceof HTMLElement && card.dataset.issue !== undefined) put(form, name, card.dataset.issue)
      }
      neighbour('after_id', dragged.previousElementSibling)
      neighbour('before_id', dragged.nextElementSibling)
      put(form, 'to', column)
      form.querySelector('select')?.removeAttribute('name')
      announce(t`Moving to ${dragged.closest('.column')?.querySelector('h2 bdi')?.textContent ?? ''}`)
      // The answer shows the board as it is then.
      this.#isStale = false
      this.#end()
      form.requestSubmit()
    }

    #end(): void {
      this.#dragged?.classList.remove('dragged')
      this.#dragged = null
      this.#catchUp()
    }
  },
)

function put(form: HTMLFormElement, name: string, value: string): void {
  const field = document.createElement('input')
  Object.assign(field, { type: 'hidden', name, value })
  form.append(field)
}
