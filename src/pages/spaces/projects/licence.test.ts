/** The name of a licence is read from its text, whatever its line breaks; another text has none. */
import { expect, test } from 'vitest'
import { licenses } from '../../../features/instance/templates/templates.ts'
import { licenceIn } from './licence.ts'

test('the licences that a new project offers are known by their text', () => {
  const named = Object.fromEntries(licenses.map(({ key, content }) => [key, licenceIn(content)]))
  expect(Object.entries(named).filter(([, name]) => name === null)).toEqual([])
  expect(named).toMatchObject({ mit: 'MIT', 'apache-2.0': 'Apache 2.0', 'gpl-3.0': 'GPL 3.0', 'bsd-2-clause': 'BSD 2-Clause' })
})

test('a licence is known whatever its line breaks and commas, and another text has no name', () => {
  expect(licenceIn('Permission is hereby granted,\r\n  free of charge, to any\nperson obtaining a copy')).toBe('MIT')
  for (const text of ['', 'All rights reserved', 'See the MIT license elsewhere']) expect([text, licenceIn(text)]).toEqual([text, null])
})
