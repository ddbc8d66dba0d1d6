/** Tokens of an expression such as `$A == "x" && $B =~ /y/`. */

export type Operand =
  | { kind: 'variable'; name: string }
  | { kind: 'text'; value: string }
  | { kind: 'null' }
  | { kind: 'pattern'; source: string }
export type Operator = '==' | '!=' | '=~' | '!~' | '&&' | '||'
export type Token = Operand | { kind: 'operator'; operator: Operator } | { kind: 'open' } | { kind: 'close' }

const maxTokens = 100
const lexeme =
  /\s*(?:\$(?<variable>\w+)|"(?<double>[^"]*)"|'(?<single>[^']*)'|(?<pattern>\/(?:[^/\\\n]|\\.)+\/[ismU]*)|(?<nothing>null\b)|(?<operator>==|!=|=~|!~|&&|\|\|)|(?<open>\()|(?<close>\)))\s*/y

/** Null for an invalid or too long expression. */
export function tokensOf(text: string): Token[] | null {
  const tokens: Token[] = []
  const scanner = new RegExp(lexeme)
  while (scanner.lastIndex < text.length) {
    const groups = scanner.exec(text)?.groups
    if (!groups || tokens.length === maxTokens) return null
    tokens.push(tokenOf(groups))
  }
  return tokens
}

function tokenOf(groups: Record<string, string | undefined>): Token {
  const { variable, double, single, pattern, nothing, operator, open } = groups
  if (variable !== undefined) return { kind: 'variable', name: variable }
  if (pattern !== undefined) return { kind: 'pattern', source: pattern }
  if (nothing !== undefined) return { kind: 'null' }
  if (operator !== undefined) return { kind: 'operator', operator: operator as Operator }
  if (open !== undefined) return { kind: 'open' }
  const text = double ?? single
  return text === undefined ? { kind: 'close' } : { kind: 'text', value: text }
}
