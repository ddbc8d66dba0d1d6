/** Values for `spec:inputs` of the CI file in forms, as lines `name=value`. */

import { invalid } from '../../failure.ts'
import { type PipelineInputs, readInputs } from '../../features/ci/pipelines/pipelines.ts'
import type { Html } from '../../html/html.ts'
import { t } from '../../html/sentences.ts'
import type { Typed } from '../frame/declaration.ts'
import { textArea } from '../frame/forms.ts'
import { sentences } from './sentences.ts'

type Value = PipelineInputs[string]

export function inputsField(typed: Typed, inputs: PipelineInputs = {}): Html {
  const lines = Object.entries(inputs).map(([name, value]) => `${name}=${lineOf(value)}`)
  return textArea(t`Inputs`, 'inputs', typed, { value: lines.join('\n'), rows: 3, hint: sentences.inputsHint })
}

/** Text of several lines is shown as JSON, as what isn't text is. */
function lineOf(value: Value): string {
  return typeof value === 'string' && !/[\r\n]/.test(value) ? value : JSON.stringify(value)
}

/** A line that wasn't touched leaves its value as it is. Throws 422 for a line without a name. */
export function readInputLines(text: string, before: PipelineInputs = {}): PipelineInputs {
  const known = new Map(Object.entries(before))
  const pairs = text.split('\n').flatMap((line): [string, Value][] => {
    if (line.trim() === '') return []
    const at = line.indexOf('=')
    const name = line.slice(0, Math.max(0, at)).trim()
    const typed = line.slice(at + 1).replace(/\r$/, '')
    if (name === '') throw invalid({ inputs: [`This line is not name=value: ${line.slice(0, 60)}`] })
    const value = known.get(name)
    return [[name, value !== undefined && lineOf(value) === typed ? value : typed]]
  })
  const names = pairs.map(([name]) => name)
  const twice = names.find((name, index) => names.indexOf(name) !== index)
  if (twice !== undefined) throw invalid({ inputs: [t`These lines have the same name: ${twice.slice(0, 60)}`] })
  return readInputs(Object.fromEntries(pairs))
}
