/** Tasks in texts that the reader may change: each box is a button of a form around the text. */
import { Type } from 'typebox'
import { Html, html } from '../../html/html.ts'
import { hidden } from '../frame/forms.ts'

const box = /<input type="checkbox" disabled( checked)? data-task="([0-9a-f-]+)" aria-label="([^"]*)">/g

interface Form {
  action: string
  token: Html
  /** Hidden fields of the form. */
  fields?: Readonly<Record<string, string>>
}

/** The text, with boxes that can be ticked; as it is where it has none. */
export function withTickableTasks(prose: Html, { action, token, fields = {} }: Form): Html {
  if (!prose.text.includes(' data-task="')) return prose
  const text = prose.text.replace(box, (_, checked: string | undefined, place: string, words: string) => {
    const value = `${place}:${checked === undefined ? 'done' : 'open'}`
    const state = `role="checkbox" aria-checked="${checked !== undefined}"`
    return `<button class="task" ${state} name="task" value="${value}" aria-label="${words}"></button>`
  })
  return html`<form method="post" action="${action}">${token}${hidden(fields)}${new Html(text)}</form>`
}

/** The value of a button: the position of the task, and its new state. */
export const taskForm = { task: Type.String({ pattern: '^\\d{1,9}-[0-9a-f]{12}:(?:done|open)$' }) }

export function tickIn({ task }: { task: string }): { place: string; done: boolean } {
  const [place = '', state] = task.split(':')
  return { place, done: state === 'done' }
}
