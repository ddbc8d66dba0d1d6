/** Expressions over variables in `rules:if` and `only:variables`: parsed once, evaluated for each job. */
import type { Patterns } from '../text/patterns.ts'
import type { Lookup } from '../text/variables.ts'
import { type Operand, type Operator, type Token, tokensOf } from './tokens.ts'

export type Expression = Operand | { kind: 'operation'; operator: Operator; left: Expression; right: Expression }

const maxExpression_chars = 10_000

/** Null for an invalid expression. */
export function parseExpression(text: string, patterns: Patterns): Expression | null {
  const tokens = text.length > maxExpression_chars ? null : tokensOf(text)
  if (!tokens || tokens.length === 0) return null
  const position = { at: 0, patterns }
  const expression = disjunction(tokens, position)
  return position.at === tokens.length ? expression : null
}

interface Position {
  at: number
  patterns: Patterns
}

type Parse = (tokens: Token[], position: Position) => Expression | null

/** Left-associative operands joined by one of these operators. */
function joined(operators: Operator[], operand: Parse): Parse {
  return (tokens, position) => {
    let left = operand(tokens, position)
    for (let operator = operatorAt(tokens, position, operators); operator && left; operator = operatorAt(tokens, position, operators)) {
      position.at++
      const right = operand(tokens, position)
      left = right && { kind: 'operation', operator, left, right }
    }
    return left
  }
}

function operatorAt(tokens: Token[], { at }: Position, operators: Operator[]): Operator | null {
  const token = tokens[at]
  return token?.kind === 'operator' && operators.includes(token.operator) ? token.operator : null
}

const comparison: Parse = joined(['==', '!=', '=~', '!~'], operand)
const conjunction: Parse = joined(['&&'], comparison)
const disjunction: Parse = joined(['||'], conjunction)

function operand(tokens: Token[], position: Position): Expression | null {
  const token = tokens[position.at++]
  if (!token || token.kind === 'operator' || token.kind === 'close') return null
  if (token.kind !== 'open') return token.kind === 'pattern' && !position.patterns.accepts(token.source) ? null : token
  const inner = disjunction(tokens, position)
  return tokens[position.at++]?.kind === 'close' ? inner : null
}

/** The context of an evaluation. */
export interface Evaluation {
  lookup: Lookup
  patterns: Patterns
}

/** Whether the expression is true: any nonempty text is. */
export function isTrue(expression: Expression, around: Evaluation): boolean {
  const value = evaluate(expression, around)
  return typeof value === 'string' ? value.trim() !== '' : value === true
}

type Value = string | boolean | null

function evaluate(expression: Expression, around: Evaluation): Value {
  if (expression.kind === 'operation') return operate(expression, around)
  if (expression.kind === 'variable') return around.lookup(expression.name) ?? null
  if (expression.kind === 'null') return null
  return expression.kind === 'text' ? expression.value : expression.source
}

function operate({ operator, left, right }: Extract<Expression, { kind: 'operation' }>, around: Evaluation): Value {
  if (operator === '&&') return isTrue(left, around) && evaluate(right, around)
  if (operator === '||') return isTrue(left, around) ? evaluate(left, around) : evaluate(right, around)
  const [value, other] = [evaluate(left, around), evaluate(right, around)]
  if (operator === '==') return value === other
  if (operator === '!=') return value !== other
  return matches(value, other, around) === (operator === '=~')
}

/** A text that isn't a pattern matches nothing. */
function matches(value: Value, pattern: Value, { patterns }: Evaluation): boolean {
  return typeof value === 'string' && typeof pattern === 'string' && patterns.isFound(pattern, value)
}
