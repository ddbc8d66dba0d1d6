/** Results of checking a CI file in JSON. */
import { Type } from 'typebox'
import { nullable, resource } from '../../../http/parameters/schema.ts'

const texts = Type.Array(Type.String())

const LintedJob = resource('LintedJob', {
  name: Type.String(),
  stage: Type.String(),
  before_script: texts,
  script: texts,
  after_script: texts,
  tag_list: texts,
  environment: nullable(Type.String()),
  when: Type.String(),
  allow_failure: Type.Boolean(),
  needs: nullable(Type.Array(Type.Object({ name: Type.String(), artifacts: Type.Boolean() }))),
})

const jobs = Type.Optional(Type.Array(LintedJob, { description: 'With `include_jobs` alone' }))

export const LintedText = resource('LintedText', {
  status: Type.String({ description: 'valid or invalid' }),
  errors: texts,
  warnings: texts,
  merged_yaml: Type.Optional(Type.String({ description: 'With `include_merged_yaml` alone' })),
  jobs,
})

const IncludedFile = resource('IncludedCiFile', {
  type: Type.String({ description: 'local, file (of a project), remote or template' }),
  location: Type.String(),
  context_project: nullable(Type.String()),
  extra: Type.Record(Type.String(), Type.String()),
})

export const Lint = resource('CiLint', {
  valid: Type.Boolean(),
  errors: texts,
  warnings: texts,
  merged_yaml: nullable(Type.String({ description: 'The file with all it includes, references and `extends` resolved' })),
  includes: Type.Array(IncludedFile),
  jobs,
})
