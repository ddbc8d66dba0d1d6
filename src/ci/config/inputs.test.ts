import { expect, test } from 'vitest'
import { configOf, errorsOf } from '../../../test/support/fixtures/ci.ts'

const included = (spec: string, body: string) => ({ 'a.yml': `spec:\n  inputs:\n${spec.replace(/^/gm, '    ')}\n---\n${body}` })
const include = (inputs: string) => `include: [{local: a.yml, inputs: {${inputs}}}]\nown: {script: x}`

test('a file gets what it asks for, in keys and values, as text and as what it is', async () => {
  const files = included(
    'name:\ncount: {type: number, default: 2}\nloud: {type: boolean}\nsteps: {type: array}\nwhere: {default: "test"}',
    `"$[[ inputs.name ]] job":
  stage: $[[ inputs.where ]]
  script: $[[inputs.steps]]
  parallel: $[[ inputs.count ]]
  interruptible: $[[ inputs.loud ]]
  variables: {TEXT: "$[[ inputs.name ]]-$[[ inputs.count ]]-$[[ inputs.loud ]]"}`,
  )
  const { jobs } = await configOf(include('name: deploy, loud: true, steps: [one, two]'), files)
  const [job] = jobs
  expect([job?.name, job?.stage, job?.options.script, job?.interruptible]).toEqual(['deploy job', 'test', ['one', 'two'], true])
  expect(job?.parallel?.instances).toHaveLength(2)
  expect(job?.variables).toEqual([{ key: 'TEXT', value: 'deploy-2-true', raw: false }])
})

test('the same file is included twice with different inputs', async () => {
  const files = included('name:', '"$[[ inputs.name ]]": {script: x}')
  const yaml = 'include: [{local: a.yml, inputs: {name: one}}, {local: a.yml, inputs: {name: two}}]\nown: {script: x}'
  expect((await configOf(yaml, files)).jobs.map(({ name }) => name)).toEqual(['one', 'two', 'own'])
})

test('functions cut texts, escape them for a shell and put in variables', async () => {
  const files = included(
    'text:',
    'a: {script: ["$[[ inputs.text | truncate(2,4) ]]", "$[[ inputs.text | posix_escape ]]", "$[[ inputs.text | expand_vars | truncate(0,3) ]]"]}',
  )
  const { jobs } = await configOf(include("text: '$A b;c'"), files, {
    predefined: [{ key: 'A', value: 'main', raw: true, file: false }],
  })
  expect(jobs[0]?.options.script).toEqual([' b;c', '\\$A\\ b\\;c', 'mai'])
})

test('a file that is not included has the defaults of its inputs', async () => {
  const text = 'spec: {inputs: {name: {default: here}}}\n---\n"$[[ inputs.name ]]": {script: x}'
  expect((await configOf(text)).jobs.map(({ name }) => name)).toEqual(['here'])
  expect(await errorsOf('spec: {inputs: {name: }}\n---\na: {script: x}')).toEqual([
    '`the file`: `name` input: required value has not been provided',
  ])
})

test.each([
  ['name:', '', '`name` input: required value has not been provided'],
  ['name:', 'name: x, other: y', 'unknown input arguments: other'],
  ['name: {type: number}', 'name: "x"', '`name` input: provided value is not a number'],
  ['name: {type: boolean, default: 1}', '', '`name` input: default value is not a boolean'],
  ['name: {type: array}', 'name: x', '`name` input: provided value is not an array'],
  ['name: {options: [a, b]}', 'name: c', '`name` input: `c` cannot be used because it is not in the list of allowed options'],
  ['name: {regex: ^v\\d+$}', 'name: x1', '`name` input: provided value does not match required RegEx pattern'],
  ['name: {kind: x}', 'name: a', 'spec:inputs:name config contains unknown keys: kind'],
  ['name: {type: map}', 'name: a', 'spec:inputs:name input type unknown value'],
])('of inputs %j given {%s} the author is told %j', async (spec, given, message) => {
  expect(await errorsOf(include(given), included(spec, 'a: {script: x}'))).toEqual([`\`a.yml\`: ${message}`])
})

test.each([
  ['$[[ inputs.other ]]', 'unknown interpolation key: `inputs.other`'],
  ['$[[ other ]]', 'unknown interpolation key: `other`'],
  ['$[[ inputs.name | shout ]]', 'no function matching `shout`: check that the function name, arguments, and types are correct'],
  ['$[[ inputs.name | truncate(0,1) | truncate(0,1) | truncate(0,1) | truncate(0,1) ]]', 'too many functions in an interpolation block'],
])('%s is an error of the file', async (block, message) => {
  expect(await errorsOf(include('name: x'), included('name:', `a: {script: "${block}"}`))).toEqual([`\`a.yml\`: ${message}`])
})

test('inputs for a file that asks for none are an error', async () => {
  expect(await errorsOf(include('name: x'), { 'a.yml': 'a: {script: x}' })).toEqual([
    '`a.yml`: inputs are given, and the file has no `spec:inputs`',
  ])
})

test('inputs that double each other are too big, and soon', async () => {
  const files = included('name:', `a: {script: ["${'$[[ inputs.name ]]'.repeat(2_000)}"]}`)
  expect(await errorsOf(include(`name: ${'x'.repeat(1_000)}`), files)).toEqual(['The parsed YAML is too big'])
})
