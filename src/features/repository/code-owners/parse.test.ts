/** Parsing a CODEOWNERS file, and the faults reported for its lines. */
import { expect, test } from 'vitest'
import { maxCodeOwners_bytes, parseCodeOwners } from './parse.ts'

test('sections have names, counts, default owners, and may be optional', () => {
  const text =
    '* @all\n\n# Comment\n[Docs][2] @writers a@b.example\n*.md\n/x.md @ada # Why\n^[Style]\n*.css @@maintainers\n[docs]\n*.txt @grace\n'
  expect(parseCodeOwners(text)).toEqual({
    errors: [],
    sections: [
      { name: null, isOptional: false, approvals: 1, exclusions: [], entries: [{ line: 1, pattern: '*', owners: ['@all'] }] },
      {
        name: 'Docs',
        isOptional: false,
        approvals: 2,
        exclusions: [],
        entries: [
          { line: 5, pattern: '*.md', owners: ['@writers', 'a@b.example'] },
          { line: 6, pattern: '/x.md', owners: ['@ada'] },
          { line: 10, pattern: '*.txt', owners: ['@grace'] },
        ],
      },
      {
        name: 'Style',
        isOptional: true,
        approvals: 1,
        exclusions: [],
        entries: [{ line: 8, pattern: '*.css', owners: ['@@maintainers'] }],
      },
    ],
  })
})

test.each([
  ['[]\n* @a', 1, 'missing_section_name'],
  ['^[Open\n* @a', 1, 'invalid_section_format'],
  ['[Docs][0]\n* @a', 1, 'invalid_approval_requirement'],
  ['[Docs][many]\n* @a', 1, 'invalid_approval_requirement'],
  ['* ada', 1, 'malformed_entry_owner'],
  ['* @@guest @a', 1, 'malformed_entry_owner'],
  ['\n*.md', 2, 'missing_entry_owner'],
])('%j is told', (text, line, fault) => {
  expect(parseCodeOwners(text).errors).toContainEqual({ line, fault })
})

test('a file that is too large has no rules, and says so', () => {
  expect(parseCodeOwners('x'.repeat(maxCodeOwners_bytes + 1))).toEqual({ sections: [], errors: [{ line: 1, fault: 'file_too_large' }] })
})
