/** Badges of statuses say in words what their colours say. */
import { expect, test } from 'vitest'
import { statusBadge } from './status-badge.ts'

test('a status is a word beside its picture; an unknown one is shown as it is, escaped', () => {
  expect(statusBadge('success').text).toMatch(/^<span class="tag status added"><svg .*<\/svg> passed<\/span>$/)
  expect(statusBadge('failed', '/a/b').text).toMatch(/^<a class="tag status removed" href="\/a\/b">.*failed<\/a>$/)
  expect(statusBadge('<new>').text).toContain('&lt;new&gt;</span>')
})
