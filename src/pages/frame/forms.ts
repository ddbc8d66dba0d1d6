/** The parts of forms: fields with their labels and errors, and what is wrong with the form as a whole. */
import type { FormErrors, Typed } from './declaration.ts'
import { type Html, html } from './html.ts'

/** A form nobody has filled in yet. */
export const untouched: Typed = { values: {}, errors: { all: [], of: {} } }

export interface FieldOptions {
  type?: 'text' | 'email' | 'password' | 'url' | 'number' | 'date'
  /** What it holds before anybody has typed; what was typed comes first, but for passwords. */
  value?: string
  autocomplete?: string
  required?: boolean
  minlength?: number
  autofocus?: boolean
  hint?: string
}

/** A labelled field of one line. Its errors stand below it, and are read with it. */
export function field(label: string, name: string, { values, errors }: Typed, options: FieldOptions = {}): Html {
  const { type = 'text', value = '', autocomplete, required, minlength, autofocus, hint } = options
  const content = type === 'password' ? '' : (values[name] ?? value)
  const sentences = errors.of[name] ?? []
  const notes = [hint !== undefined && `${name}-hint`, sentences.length > 0 && `${name}-error`].filter(Boolean).join(' ')
  return html`<div class="field"><label for="${name}">${label}</label>
<input id="${name}" name="${name}" type="${type}" value="${content}"${attribute('autocomplete', autocomplete)}${attribute('minlength', minlength)}${
    required === true && html` required`
  }${autofocus === true && html` autofocus`}${sentences.length > 0 && html` aria-invalid="true"`}${attribute('aria-describedby', notes || undefined)}>
${hint !== undefined && html`<p class="hint" id="${name}-hint">${hint}</p>`}${
  sentences.length > 0 && html`<p class="error" id="${name}-error">${sentences.join('. ')}</p>`
}</div>`
}

function attribute(name: string, value: string | number | undefined): Html | null {
  return value === undefined ? null : html` ${name}="${value}"`
}

/** What is wrong with the form, above it; names the errors of fields that the form doesn't have, too. */
export function problemsOf({ all, of }: FormErrors, fields: readonly string[]): Html | null {
  const others = Object.entries(of).flatMap(([name, sentences]) => (fields.includes(name) ? [] : sentences))
  const sentences = [...all, ...others]
  const count = Object.keys(of).length - (others.length > 0 ? 1 : 0)
  if (sentences.length === 0 && count === 0) return null
  const lines = sentences.length > 0 ? sentences : ['Check the fields marked below.']
  return html`<div class="problems" role="alert">${lines.map((sentence) => html`<p>${sentence}</p>`)}</div>`
}
