import { expect, test } from 'vitest'
import { configOf, errorsOf } from '../../../test/support/fixtures/ci.ts'

test('id tokens name their audiences', async () => {
  const [found = expect.fail()] = (await configOf('a: {script: x, id_tokens: {A: {aud: x}, B: {aud: [y, $Z]}}}')).jobs
  expect(found.options.id_tokens).toEqual([
    { key: 'A', aud: ['x'] },
    { key: 'B', aud: ['y', '$Z'] },
  ])
  const wrong = [
    ...['id_tokens: x', 'id_tokens: {A: x}', 'id_tokens: {A: {}}', 'id_tokens: {A: {aud: 1}}', "id_tokens: {A: {aud: ''}}"],
    ...['id_tokens: {A: {aud: []}}', 'id_tokens: {A: {aud: x, iss: y}}', 'id_tokens: {"A-B": {aud: x}}'],
    `id_tokens: {${Array.from({ length: 51 }, (_, at) => `T${at}: {aud: x}`)}}`,
  ]
  expect(await Promise.all(wrong.map(async (one) => (await errorsOf(`a:\n  script: test\n  ${one}`))[0]))).toEqual([
    'jobs:a:id_tokens config should be a hash',
    'jobs:a:id_tokens:A config should be a hash',
    'jobs:a:id_tokens:A config missing required keys: aud',
    'jobs:a:id_tokens:A aud should be an array of strings or a string',
    "jobs:a:id_tokens:A aud can't be blank",
    "jobs:a:id_tokens:A aud can't be blank",
    'jobs:a:id_tokens:A config contains unknown keys: iss',
    "jobs:a:id_tokens:A-B name can contain only letters, digits and '_'",
    'jobs:a:id_tokens config has too many tokens (maximum is 50)',
  ])
})
