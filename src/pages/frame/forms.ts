/** The parts of forms: fields with labels, hints and errors, buttons that post, and errors of the form as a whole. */

import { type Html, html } from '../../html/html.ts'
import { refusalInWords } from '../../html/refusals.ts'
import { t } from '../../html/sentences.ts'
import type { FormErrors, Typed } from './declaration.ts'

/** A form that nobody has filled in yet. */
export const untouched: Typed = { values: {}, errors: { all: [], of: {} } }

interface ControlOptions {
  /** Initial value. A submitted value takes precedence, except in password fields. */
  value?: string | undefined
  required?: boolean
  autofocus?: boolean
  /** A sentence below the control. */
  hint?: string | Html | undefined
  /** Prefix of the id, for pages on which several forms have a field of this name. */
  id?: string | undefined
}

export interface FieldOptions extends ControlOptions {
  type?: 'text' | 'email' | 'password' | 'url' | 'number' | 'date' | 'datetime-local' | 'search' | 'file'
  autocomplete?: string
  minlength?: number
  min?: number
  max?: number
  placeholder?: string
  /** Media types and file name extensions. */
  accept?: string
  /** Suggested values; others may be typed. */
  list?: readonly string[]
}

/** A labeled field of one line. Its errors are below it, and screen readers read them with it. */
export function field(label: string, name: string, typed: Typed, options: FieldOptions = {}): Html {
  const { type = 'text', value = '', autocomplete, minlength, min, max, placeholder, accept, list } = options
  const content = type === 'password' || type === 'file' ? '' : (typed.values[name] ?? value)
  return control(label, name, typed, options, (common) => {
    const written = type === 'file' ? null : html` value="${content}"`
    return html`
      <input
        ${common}
        type="${type}"
        ${written}
        ${attribute('autocomplete', autocomplete)}
        ${attribute('minlength', minlength)}
        ${attribute('min', min)}
        ${attribute('max', max)}
        ${attribute('placeholder', placeholder)}
        ${attribute('accept', accept)}
        ${list !== undefined && html` list="${options.id ?? ''}${name}-list"`}
      >${
        list !== undefined &&
        html`
          <datalist id="${options.id ?? ''}${name}-list">
            ${list.map((offered) => html`<option value="${offered}"></option>`)}
          </datalist>
        `
      }
    `
  })
}

/** A labeled field of several lines. */
export function textArea(label: string, name: string, typed: Typed, options: ControlOptions & { rows?: number } = {}): Html {
  const { value = '', rows = 5 } = options
  // HTML drops the first line break of the content.
  return control(
    label,
    name,
    typed,
    options,
    (common) => html`<textarea${common} rows="${rows}">\n${typed.values[name] ?? value}</textarea>`,
  )
}

export interface MarkdownOptions extends ControlOptions {
  rows?: number
  /** The project in which references of the text are resolved, and whose members it may mention. */
  project?: { id: number; full_path: string }
  /** Whether files can be dropped or pasted, which uploads them to the project. For users who may upload there. */
  takesFiles?: boolean
  /** Whether lines that begin with a slash are quick actions. */
  takesActions?: boolean
}

/**
 * A field for Markdown. With scripts, it has a preview, completes `@names`, `:emoji:` and references, and accepts files. Needs `scripts:
 * [textFieldScript]`.
 */
export function markdownField(label: string, name: string, typed: Typed, options: MarkdownOptions = {}): Html {
  const { project, takesFiles = false, takesActions = false, ...rest } = options
  const uploads = takesFiles && project ? `/api/v4/projects/${project.id}/uploads` : undefined
  const expanded = project ? html` keys="@ : # ! $ ~ %${takesActions && ' /'}" multiword="# $ ~ %"` : html` keys="@ :"`
  return html`
    <text-field${attribute('project', project?.full_path)}${attribute('uploads', uploads)}>
      <text-expander${expanded}>${textArea(label, name, typed, rest)}</text-expander>
    </text-field>
  `
}

/** For `scripts` of a view with a `markdownField`. */
export const textFieldScript = 'text-field.js'

/** An option as `[value, label]`. */
export type Choice = readonly [value: string, label: string]

/** A list to choose one option from. */
export function select(label: string, name: string, typed: Typed, choices: readonly Choice[], options: ControlOptions = {}): Html {
  const chosen = typed.values[name] ?? options.value
  return control(label, name, typed, options, (common) => html`<select${common}>${optionsOf(choices, chosen)}</select>`)
}

export function optionsOf(choices: readonly Choice[], chosen: string | undefined): Html[] {
  return choices.map(([value, label]) => html`<option value="${value}"${value === chosen && html` selected`}>${label}</option>`)
}

/** A checkbox. It sends `true`, or `false` if it isn't checked, from a hidden field of the same name before it. */
export function checkbox(
  label: string,
  name: string,
  { values }: Typed,
  { value, hint, id = '' }: ControlOptions & { value: 'true' | 'false' },
): Html {
  const own = id + name
  const isTicked = (values[name] ?? value) === 'true'
  return html`
    <div class="field box">
      <input type="hidden" name="${name}" value="false">
      <input
        id="${own}"
        name="${name}"
        type="checkbox"
        value="true"
        ${isTicked && html` checked`}
        ${attribute('aria-describedby', hint === undefined ? undefined : `${own}-hint`)}
      >
      <label for="${own}">${label}</label>
      ${hint !== undefined && html`<p class="hint" id="${own}-hint">${hint}</p>`}
    </div>
  `
}

/** An option with an explanation; if it can't be chosen, the reason. */
export type ExplainedChoice = readonly [value: string, label: string, hint: string, refused?: string | null]

/** Radio buttons, each with an explanation. */
export function radios(label: string, name: string, { values, errors }: Typed, choices: readonly ExplainedChoice[], value?: string): Html {
  const chosen = values[name] ?? value
  const sentences = errors.of[name] ?? []
  return html`
    <fieldset class="field radios">
      <legend>${label}</legend>
      ${choices.map(
        ([key, words, hint, refused = null]) => html`
          <div>
            <input
              id="${name}-${key}"
              name="${name}"
              type="radio"
              value="${key}"
              ${key === chosen && html` checked`}
              ${refused !== null && html` disabled`}
            >
            <label for="${name}-${key}">${words}</label>
            <span class="hint">${hint}${refused !== null && ` ${refused}`}</span>
          </div>
        `,
      )}
      ${errorLine(sentences)}
    </fieldset>
  `
}

function control(label: string, name: string, { errors }: Typed, options: ControlOptions, write: (common: Html) => Html): Html {
  const { required, autofocus, hint, id = '' } = options
  const own = id + name
  const sentences = errors.of[name] ?? []
  const notes = [hint !== undefined && `${own}-hint`, sentences.length > 0 && `${own}-error`].filter(Boolean).join(' ')
  const common = html` id="${own}" name="${name}"${required === true && html` required`}${autofocus === true && html` autofocus`}${
    sentences.length > 0 && html` aria-invalid="true"`
  }${attribute('aria-describedby', notes || undefined)}`
  return html`
    <div class="field">
      <label for="${own}">${label}</label> ${write(common)}
      ${hint !== undefined && html`<p class="hint" id="${own}-hint">${hint}</p>`}
      ${errorLine(sentences, `${own}-error`)}
    </div>
  `
}

/** The errors of a field, or of a group of boxes; null if there are none. */
export function errorLine(sentences: readonly string[], id?: string): Html | null {
  if (sentences.length === 0) return null
  return html`<p class="error"${attribute('id', id)}>${sentences.map(refusalInWords).join('. ')}</p>`
}

function attribute(name: string, value: string | number | undefined): Html | null {
  return value === undefined ? null : html` ${name}="${value}"`
}

export interface FormOptions {
  action: string
  /** The hidden field of the visit. */
  token: Html
  /** Label of the button. */
  submit: string
  /** `primary` for the main action of the page, `danger` for one that can't be undone. */
  kind?: 'primary' | 'danger' | 'plain'
  /** Whether it has files. */
  files?: boolean
}

/** A form that posts, with its button at the end. */
export function form({ action, token, submit, kind = 'primary', files }: FormOptions, content: Html): Html {
  return html`
    <form method="post" action="${action}"${files === true && html` enctype="multipart/form-data"`}>
      ${token}${content}
      <p class="actions"><button${kind !== 'plain' && html` class="${kind}"`}>${submit}</button></p>
    </form>
  `
}

/** A button that posts without fields: star, leave, run again. */
export function postButton(
  label: string | Html,
  { action, token, kind = 'plain', fields = {} }: Omit<FormOptions, 'submit' | 'files'> & { fields?: Readonly<Record<string, string>> },
): Html {
  const button = html`<button${kind !== 'plain' && html` class="${kind}"`}>${label}</button>`
  return html`<form class="inline" method="post" action="${action}">${token}${hidden(fields)}${button}</form>`
}

export function hidden(fields: Readonly<Record<string, string>>): Html[] {
  return Object.entries(fields).map(([name, value]) => html`<input type="hidden" name="${name}" value="${value}">`)
}

/**
 * An irreversible action behind a summary that opens: its explanation and its form, which is open if it is shown again. Works without
 * scripts.
 */
export function dangerous(summary: string | Html, content: Html, isOpen = false): Html {
  return html`<details class="dangerous"${isOpen && html` open`}><summary>${summary}</summary>${content}</details>`
}

/** The errors of the form, above it, including those of fields that the form doesn't have. */
export function problemsOf({ all, of }: FormErrors, fields: readonly string[]): Html | null {
  const others = Object.entries(of).flatMap(([name, sentences]) => (fields.includes(name) ? [] : sentences))
  const sentences = [...all, ...others]
  const count = Object.keys(of).length - (others.length > 0 ? 1 : 0)
  if (sentences.length === 0 && count === 0) return null
  const lines = sentences.length > 0 ? sentences : [t`Check the fields marked below.`]
  return html`<div class="problems" role="alert">${lines.map((sentence) => html`<p>${refusalInWords(sentence)}</p>`)}</div>`
}
