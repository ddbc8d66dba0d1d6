/** Variables in forms: several as lines `NAME=value`, or one on its own. */

import { Type } from 'typebox'
import { invalid } from '../../failure.ts'
import type { GivenVariable } from '../../features/ci/pipelines/pipelines.ts'
import { type Html, html } from '../../html/html.ts'
import { t } from '../../html/sentences.ts'
import { oneOf } from '../../http/parameters/schema.ts'
import type { Typed } from '../frame/declaration.ts'
import { select, textArea } from '../frame/forms.ts'
import { settingSentences as say } from './sentences.ts'

export function variablesField(typed: Typed, value = ''): Html {
  return textArea(t`Variables`, 'variables', typed, {
    value,
    rows: 4,
    hint: t`One a line: NAME=value. A value may refer to others: $OTHER.`,
  })
}

/** Throws 422 for a line without a name. */
export function readVariables(text: string): GivenVariable[] {
  return text.split('\n').flatMap((line) => {
    if (line.trim() === '') return []
    const [, key, value] = /^\s*(\w{1,255})\s*=(.*)$/.exec(line) ?? []
    if (key === undefined || value === undefined) throw invalid({ variables: [`This line is not NAME=value: ${line.slice(0, 60)}`] })
    return [{ key, value, kind: 'env_var' as const, raw: false }]
  })
}

/** Fields of a form for one variable. */
export const variableFields = { value: Type.String({ default: '', maxLength: 20_000 }), kind: oneOf('env_var', 'file') }

export function valueFields(typed: Typed, { value, kind, hint }: { value: string; kind: string; hint?: string }): Html {
  const text = textArea(t`Value`, 'value', typed, { value, rows: 4, hint })
  return html`${text}${select(t`Kind`, 'kind', typed, kindChoices(), { value: kind })}`
}

const kindChoices = () =>
  [
    ['env_var', t`Variable`],
    ['file', say.fileKind],
  ] as const
