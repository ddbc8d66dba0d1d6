/** The parts of forms: fields with their labels, hints and errors, buttons that post, and what is wrong with the form as a whole. */

import { type Html, html } from '../../html/html.ts'
import type { FormErrors, Typed } from './declaration.ts'

/** A form nobody has filled in yet. */
export const untouched: Typed = { values: {}, errors: { all: [], of: {} } }

interface ControlOptions {
  /** What it holds before anybody has typed; what was typed comes first, but for passwords. */
  value?: string | undefined
  required?: boolean
  autofocus?: boolean
  /** A sentence below the control. */
  hint?: string | Html | undefined
  /** Where several forms of a page have a field of this name: begins its id, so that no id stands there twice. */
  id?: string | undefined
}

export interface FieldOptions extends ControlOptions {
  type?: 'text' | 'email' | 'password' | 'url' | 'number' | 'date' | 'datetime-local' | 'search' | 'file'
  autocomplete?: string
  minlength?: number
  min?: number
  max?: number
  placeholder?: string
  /** Media types and endings of files. */
  accept?: string
  /** Values that browsers offer; others may be typed. */
  list?: readonly string[]
}

/** A labelled field of one line. Its errors stand below it, and are read with it. */
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

/** A labelled field of several lines. */
export function textArea(label: string, name: string, typed: Typed, options: ControlOptions & { rows?: number } = {}): Html {
  const { value = '', rows = 5 } = options
  // The first line break of its content would be dropped.
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
  /** The project that links of the text refer to, and whose members it may name. */
  project?: { id: number; full_path: string }
  /** Whether files may be dropped or pasted: they become uploads of the project. For those who may upload there. */
  takesFiles?: boolean
  /** Whether lines that begin with a slash are quick actions. */
  takesActions?: boolean
}

/**
 * A field for Markdown: with script it has a preview, completes `@names`, `:emoji:` and what the project has, and takes files.
 * Needs `scripts: [textFieldScript]`.
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

/** A choice of one, as `[value, label]`. */
export type Choice = readonly [value: string, label: string]

/** A list to choose one from. */
export function select(label: string, name: string, typed: Typed, choices: readonly Choice[], options: ControlOptions = {}): Html {
  const chosen = typed.values[name] ?? options.value
  return control(label, name, typed, options, (common) => html`<select${common}>${optionsOf(choices, chosen)}</select>`)
}

export function optionsOf(choices: readonly Choice[], chosen: string | undefined): Html[] {
  return choices.map(([value, label]) => html`<option value="${value}"${value === chosen && html` selected`}>${label}</option>`)
}

/** A box to tick. It sends `true`, and `false` where it is left empty, as a hidden field before it has the same name. */
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

/** A choice with what it means; where it can't be chosen, why. */
export type ExplainedChoice = readonly [value: string, label: string, hint: string, refused?: string | null]

/** A choice of one, each with what it means. */
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
      ${sentences.length > 0 && html`<p class="error">${sentences.join('. ')}</p>`}
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
      ${sentences.length > 0 && html`<p class="error" id="${own}-error">${sentences.join('. ')}</p>`}
    </div>
  `
}

function attribute(name: string, value: string | number | undefined): Html | null {
  return value === undefined ? null : html` ${name}="${value}"`
}

export interface FormOptions {
  action: string
  /** The hidden field of the visit. */
  token: Html
  /** Of its button. */
  submit: string
  /** `primary` for what most come to the page for, `danger` for what can't be undone. */
  kind?: 'primary' | 'danger' | 'plain'
  /** With files. */
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

/** A button that posts, with nothing to fill in: star, leave, run again. */
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
 * What can't be undone stands behind a summary that opens: what it does, and its form, open where that is shown again. Works
 * without script.
 */
export function dangerous(summary: string | Html, content: Html, isOpen = false): Html {
  return html`<details class="dangerous"${isOpen && html` open`}><summary>${summary}</summary>${content}</details>`
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
