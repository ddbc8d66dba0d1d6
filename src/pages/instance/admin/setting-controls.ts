/** The control for a setting, by its type. */
import type { TSchema } from 'typebox'
import { type Html, html } from '../../../html/html.ts'
import type { Typed } from '../../frame/declaration.ts'
import { type Choice, checkbox, errorLine, field, select, textArea } from '../../frame/forms.ts'
import { sentences } from './sentences.ts'
import type { SettingWords } from './setting-words.ts'

interface Shape {
  type?: string | string[]
  enum?: unknown[]
  minimum?: number
  maximum?: number
  maxLength?: number
  items?: { enum?: string[] }
}

/** The words of a list of words, each with a checkbox; null for every other setting. */
export function optionsIn(schema: TSchema): string[] | null {
  return (schema as Shape).items?.enum ?? null
}

/** Whether the value is never shown. */
export function isSecret(name: string): boolean {
  return /_key$|_dsn$/.test(name)
}

/** The text of a value in its control. */
export function textOf(value: unknown): string {
  if (value === null || value === undefined) return ''
  return Array.isArray(value) ? value.join('\n') : String(value)
}

interface Shown {
  schema: TSchema
  words: SettingWords
  /** As text. */
  value: string
  /** The unconverted value. */
  chosen: unknown
}

/** A labeled control with an explanation of its effect. */
export function controlFor(name: string, { schema, words, value, chosen }: Shown, typed: Typed): Html {
  const { type, enum: values, minimum, maximum, maxLength = 0 } = schema as Shape
  const types = [type].flat()
  const { label, hint, options = {} } = words
  const boxes = optionsIn(schema)
  if (boxes !== null) return boxesFor(name, { label, hint, chosen, choices: boxes.map((one): Choice => [one, options[one] ?? one]) }, typed)
  if (types.includes('boolean')) return checkbox(label, name, typed, { value: value === 'true' ? 'true' : 'false', hint })
  if (values) return select(label, name, typed, choicesOf(values, options), { value, hint })
  if (types.includes('array') || Array.isArray(chosen))
    return textArea(label, name, typed, { value, rows: 3, hint: together(hint, sentences.onePerLine) })
  if (types.includes('integer') || types.includes('number'))
    return field(label, name, typed, {
      type: 'number',
      value,
      hint,
      ...(minimum !== undefined && { min: minimum }),
      ...(maximum !== undefined && { max: maximum }),
    })
  if (isSecret(name))
    return field(label, name, typed, { type: 'password', autocomplete: 'new-password', hint: together(hint, sentences.secretKept) })
  return maxLength > 255 ? textArea(label, name, typed, { value, rows: 4, hint }) : field(label, name, typed, { value, hint })
}

function together(hint: string | undefined, more: string): string {
  return hint === undefined ? more : `${hint} ${more}`
}

function choicesOf(values: unknown[], options: Readonly<Record<string, string>>): Choice[] {
  const keys = values.map((value) => (value === null ? '' : String(value)))
  return keys.map((key): Choice => [key, options[key] ?? (key || 'any')])
}

interface Boxes {
  label: string
  hint: string | undefined
  choices: readonly Choice[]
  chosen: unknown
}

function boxesFor(name: string, { label, hint, choices, chosen }: Boxes, typed: Typed): Html {
  const ticked = Array.isArray(chosen) ? chosen : []
  return html`
    <fieldset class="scopes">
      <legend>${label}</legend>
      ${hint !== undefined && html`<p class="hint">${hint}</p>`}
      ${errorLine(typed.errors.of[name] ?? [])}
      ${choices.map(([option, words]) =>
        checkbox(words, `${name}.${option}`, typed, { value: ticked.includes(option) ? 'true' : 'false' }),
      )}
    </fieldset>
  `
}
