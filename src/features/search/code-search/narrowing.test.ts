/** Narrowing by the index never loses a match: each one has the trigrams that a regular expression asks for. */
import { expect, test } from 'vitest'
import { numbers } from '../../../../test/support/fixtures/numbers.ts'
import { foldCase } from '../../../db/fold-case.ts'
import { Failure } from '../../../failure.ts'
import { trigramCollector } from '../code-index/trigrams.ts'
import { expressionMatcher } from './matchers.ts'
import { type Needs, needOfExpression } from './narrowing.ts'

/** As the index has them. */
const collector = trigramCollector()
const has = (trigrams: Set<number>, needs: Needs): boolean =>
  needs.trigrams.every((trigram) => trigrams.has(trigram)) && needs.choices.every((choice) => choice.some((some) => has(trigrams, some)))
const isNarrowedTo = (expression: string, text: string) => {
  const need = needOfExpression(expression)
  return need === null || has(new Set(collector.collect([Buffer.from(text)])), need)
}

test.each([
  ['hello', 'say HELLO', 'help'],
  ['colou?r', 'my color', 'cool'],
  ['(foo|bar)baz', 'barbaz', 'foo baz'],
  ['(?:abc|def)+x', 'abcdefx', 'abc'],
  ['get[A-Z]\\w*\\(', 'getName(', 'gotname('],
  ['[gs]etValue', 'setvalue', 'letvalue'],
  ['func.*return', 'func () { return }', 'func ()'],
  ['a{3}', 'aaa', 'aa'],
  ['a{3,}b', 'aaaab', 'aab'],
  ['\\bint\\s+main', 'int main', 'mint'],
  ['^#include <\\w+>$', '#include <a>', 'include'],
  ['\\Qa.b\\E|x\\.yz', 'a.b', 'axb'],
  ['(?i)größe', 'GRÖSSE GRÖßE', 'grosse'],
  ['naïve', 'NAÏVE', 'naive'],
  ['(foo|ba(r|zz)|quux)', 'bazz', 'ba'],
  ['x?y?abc', 'abc', 'xab'],
])('%s asks for files such as "%s", and not for such as "%s"', (expression, found, other) => {
  expect([isNarrowedTo(expression, found), isNarrowedTo(expression, other)]).toEqual([true, false])
})

test.each(['', 'ab', 'a.*b', '.*', '\\w{20}', '(foo)?', '(abc|de)', 'foo|', '[a-z]{9}', 'a+b+', '(?:)', '^$', 'x{0}abd|y', '(abc)*'])(
  '%s may match in any file',
  (expression) => expect(needOfExpression(expression)).toBeNull(),
)

test.each([
  ['a(?i)*bcd', 'bcd'],
  ['xa{01}bc', 'xa{01}bc'],
  ['(?P<name>abc)d', 'abcd'],
  ['(?<näme>abc)d', 'abcd'],
  ['[[:^alpha:]]abc', '1abc'],
  ['[]a]bcd', ']bcd'],
  ['\\x41bc', 'abc'],
  ['\\x{41}bcd', 'abcd'],
  ['\\101bcd', 'abcd'],
  ['\\pLabc', 'äabc'],
  ['\\p{Greek}abc', 'σabc'],
  ['a\\Q\\E+bcd', 'aaabcd'],
  ['(?s-i:.)abc', 'xabc'],
  ['a{2}{2}bcd', 'aaaabcd'],
])('the odd corners of the syntax ask for no more than %s matches', (expression, text) => {
  const isMatch = isIn(expression, text)
  expect([isMatch, isMatch && isNarrowedTo(expression, text)]).toEqual([isMatch, isMatch])
})

/** Whether RE2 finds it; not where it takes no such expression. */
function isIn(expression: string, text: string): boolean {
  try {
    return expressionMatcher(expression).isIn(text)
  } catch (error) {
    if (error instanceof Failure) return false
    throw error
  }
}

const letters = ['a', 'b', 'c', 'A', 'é', 'É', 'σ', 'ς', 'Σ', '.', ' ']

/** An expression of a few parts, which RE2 and JavaScript read alike. */
function expressionFrom(next: (below: number) => number, depth = 0): string {
  const parts = Array.from({ length: 1 + next(4) }, () => {
    const kind = next(depth > 2 ? 7 : 10)
    const letter = () => letters[next(9)] as string
    if (kind < 4) return letter()
    if (kind === 4) return '.'
    if (kind === 5) return `[${letter()}${letter()}]`
    if (kind === 6) return ['\\w', '\\.', '[^b]', '[a-c]', '^', '$', '\\b'][next(7)]
    const inner = expressionFrom(next, depth + 1)
    return kind === 7 ? `(${inner})` : kind === 8 ? `(?:${inner}|${expressionFrom(next, depth + 1)})` : `(?:${inner})${repeat(next)}`
  })
  return parts.join('')
}

const repeat = (next: (below: number) => number) => ['*', '+', '?', '{2}', '{1,3}', '{2,}', '+?', '{0}'][next(8)]

test('random lines that match have the trigrams that the expression needs, and RE2 agrees with JavaScript', () => {
  const next = numbers(11)
  const wrong: Array<[string, string]> = []
  let [matched, narrowed] = [0, 0]
  for (let round = 0; round < 600; round += 1) {
    const expression = expressionFrom(next)
    const model = new RegExp(expression, 'iu')
    const need = needOfExpression(expression)
    const [{ isIn }, narrow] = [expressionMatcher(expression), expressionMatcher(expression, need)]
    if (need) narrowed += 1
    for (let line = 0; line < 20; line += 1) {
      const text = Array.from({ length: next(12) }, () => letters[next(letters.length)]).join('')
      const isMatch = isIn(text)
      if (narrow.isIn(text) !== isMatch) wrong.push([expression, text])
      // JavaScript counts letters beyond ASCII as none at the edge of words.
      if (!expression.includes('\\b') && isMatch !== model.test(text)) wrong.push([expression, text])
      if (!isMatch) continue
      matched += 1
      if (!isNarrowedTo(expression, text)) wrong.push([expression, foldCase(text)])
    }
  }
  expect(wrong).toEqual([])
  expect([matched > 2_000, narrowed > 100]).toEqual([true, true])
})
