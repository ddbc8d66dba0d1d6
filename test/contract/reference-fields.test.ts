/** Replies have the fields of the reference's, and what they lack or have besides stands in `docs/differences.md`. */
import { expect, test } from 'vitest'
import { declaredKinds, differenceOf, endpointsOfReference, told } from './reference-fields.ts'
import { everyServed } from './world/fixtures.ts'

const declared = declaredKinds(everyServed)
test('every difference from the fields of the reference is told, and nothing else', () => {
  const wrong = [...declared].flatMap(([kind, found]) => {
    const { missing, added } = differenceOf(kind, found)
    const tells = told.get(kind)
    return [
      // Fields that a reply may leave out are looked for in real replies, by `replies.test.ts`.
      ...[...missing].filter((name) => !tells?.missing.has(name)).map((name) => `${kind} lacks ${name}`),
      ...[...added].filter((name) => !tells?.added.has(name)).map((name) => `${kind} has ${name}`),
      ...[...(tells?.added ?? [])].filter((name) => !added.has(name)).map((name) => `${kind} doesn't have ${name}`),
    ]
  })
  expect(wrong, 'add the field to the reply, or tell it in the table "Fields of replies" of docs/differences.md').toEqual([])
})

test('what is told is of kinds of replies that there are, and the endpoints of the reference are ours', () => {
  expect([...told.keys()].filter((kind) => !declared.has(kind))).toEqual([])
  expect(endpointsOfReference.filter((endpoint) => !everyServed.some(({ name }) => name === endpoint))).toEqual([])
})
