/** The inputs of a schedule: values for `spec:inputs` of the CI file, sealed as its variables are. */
import type { App } from '../../../app.ts'
import type { CiSchedule } from '../../../db/tables.ts'
import { blankError, firstRepeated, lengthError } from '../../../validation.ts'
import { type PipelineInputs, readInputs, refusal } from '../pipelines/pipelines.ts'

/** One as sent by clients, who may send values of any type. */
export interface SentInput {
  name: string
  value?: unknown
  destroy?: boolean | undefined
}

const sealedFor = 'ci_schedules.inputs'
const maxAll_chars = 65_536

export function openInputs({ secrets }: App, { inputs }: Pick<CiSchedule, 'inputs'>): PipelineInputs {
  return inputs === null ? {} : (JSON.parse(secrets.unseal(inputs, sealedFor)) as PipelineInputs)
}

/** Null if there are none. Throws 400 if together they are too long. */
export function sealInputs({ secrets }: App, inputs: PipelineInputs): string | null {
  const text = JSON.stringify(inputs)
  const error = lengthError(text, maxAll_chars)
  if (error !== null) throw refusal([`Inputs ${error}`])
  return text === '{}' ? null : secrets.seal(text, sealedFor)
}

/** The sent inputs replace those of the same name, or remove them by `destroy`. Throws 400 for invalid inputs. */
export function changedInputs(before: PipelineInputs, sent: readonly SentInput[]): PipelineInputs {
  const names = sent.map(({ name }) => name)
  const twice = firstRepeated(names)
  if (twice !== undefined) throw refusal([`Inputs have duplicate values (${twice.slice(0, 255)})`])
  for (const name of names) {
    const error = blankError(name) ?? lengthError(name, 255)
    if (error !== null) throw refusal([`Input name ${error}`])
  }
  const replaced = new Set(names)
  const kept = Object.entries(before).filter(([name]) => !replaced.has(name))
  const given = sent.filter(({ destroy }) => !destroy).map(({ name, value }) => [name, value])
  return readInputs(Object.fromEntries([...kept, ...given]))
}
