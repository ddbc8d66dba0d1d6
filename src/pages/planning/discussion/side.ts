/** The sidebar of something with a discussion: sections, each with a form behind "Edit" for users who may change it. */

import { type Html, html } from '../../../html/html.ts'
import { t } from '../../../html/sentences.ts'
import type { Typed } from '../../frame/declaration.ts'
import { form, problemsOf, untouched } from '../../frame/forms.ts'
import { icon } from '../../frame/parts.ts'

export function section(title: string, content: Html, edit: Html | null = null): Html {
  return html`<section><h2>${title}</h2>${content}${edit}</section>`
}

export const noneYet = (words: string): Html => html`<p class="hint">${words}</p>`

interface Editing {
  /** Others get no form. */
  isAllowed: boolean
  /** URL of the forms. */
  action: string
  token: Html
  /** A rejected form, to be shown open with its errors. */
  refused: Typed | null
  /** The fields of all forms. */
  names: readonly string[]
}

interface EditorOptions {
  /** A keyboard shortcut that opens it. */
  key?: string | null
  /** Label of "Edit" for screen readers. */
  label?: string
  /** Text to open it by, instead of a pencil beside the heading. */
  summary?: string
  /** URL of this form if it differs. */
  action?: string
  submit?: string
}

/** Renders the forms: `edit('labels', (typed) => field(…), { label: 'labels' })`. */
export type Editor = (name: string, fields: (typed: Typed) => Html, options?: EditorOptions) => Html | null

export function editorOf({ isAllowed, action: usual, token, refused, names }: Editing): Editor {
  return (name, fields, { key = null, label = '', summary, action = usual, submit = t`Save` } = {}) => {
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
