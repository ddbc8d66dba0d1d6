/** What stands beside something that is discussed: sections, each with a form behind "Edit" for those who may. */

import { type Html, html } from '../../../html/html.ts'
import type { Typed } from '../../frame/declaration.ts'
import { form, problemsOf, untouched } from '../../frame/forms.ts'
import { icon } from '../../frame/parts.ts'

export function section(title: string, content: Html, edit: Html | null = null): Html {
  return html`<section><h2>${title}</h2>${content}${edit}</section>`
}

export const noneYet = (words: string): Html => html`<p class="hint">${words}</p>`

interface Editing {
  /** Nothing is offered to others. */
  isAllowed: boolean
  /** Where the forms lead. */
  action: string
  token: Html
  /** One that was refused, to be shown open with its errors. */
  refused: Typed | null
  /** The fields of all forms. */
  names: readonly string[]
}

interface EditorOptions {
  /** A key that opens it. */
  key?: string | null
  /** Words of "Edit" for those who don't see where it stands. */
  label?: string
  /** Words to open it by, instead of a pencil beside the heading. */
  summary?: string
  /** Where this form leads instead. */
  action?: string
  submit?: string
}

/** Writes the forms: `edit('labels', (typed) => field(…), { label: 'labels' })`. */
export type Editor = (name: string, fields: (typed: Typed) => Html, options?: EditorOptions) => Html | null

export function editorOf({ isAllowed, action: usual, token, refused, names }: Editing): Editor {
  return (name, fields, { key = null, label = '', summary, action = usual, submit = 'Save' } = {}) => {
    if (!isAllowed) return null
    const isPencil = summary === undefined
    const own = refused !== null && name in refused.values ? refused : null
    return html`
      <details class="edit${isPencil && ' beside'}"${own && html` open`}>
        <summary${key !== null && html` data-key="${key}"`}>
          ${isPencil ? html`${icon('edit')}<span class="unseen">Edit ${label}</span>` : summary}
        </summary>
        ${own && problemsOf(own.errors, names)}${form({ action, token, submit }, fields(own ?? untouched))}
      </details>
    `
  }
}
