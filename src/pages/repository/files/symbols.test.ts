/** Declarations are found in highlighted code, for each language whose grammar marks them; mere uses of a name aren't. */
import { expect, test } from 'vitest'
import { highlight } from '../../../features/instance/markdown/highlight.ts'
import { symbolsOf } from './symbols.ts'

const samples: ReadonlyArray<readonly [language: string, code: string, names: readonly string[]]> = [
  [
    'typescript',
    'import { a } from "b"\nexport async function one(x: T) {\n  two(x)\n}\nexport class Three {}\ninterface Four {}\n',
    ['one', 'Three', 'Four'],
  ],
  ['javascript', 'function one() { return new Two() }\nclass Two extends Three {}\n', ['one', 'Two']],
  ['python', 'import one\nclass Two(Three):\n    def four(self):\n        return five()\n', ['Two', 'four']],
  ['ruby', 'module One\n  class Two < Three\n    def four\n    end\n  end\nend\n', ['One', 'Two', 'four']],
  ['rust', 'use a::B;\nstruct One;\nenum Two {}\ntrait Three {}\nfn four() -> u32 { five() }\n', ['One', 'Two', 'Three', 'four']],
  [
    'go',
    'package main\n\ntype One struct {\n}\n\nfunc (o *One) Two(x int) error {\n\treturn three(x)\n}\nfunc four() {}\n',
    ['One', 'Two', 'four'],
  ],
  ['php', '<?php\nclass One {\n  function two() { three(); }\n}\n', ['One', 'two']],
  ['kotlin', 'class One {\n  fun two(x: Int) = three(x)\n}\n', ['One', 'two']],
  ['java', 'public class One {\n  private int two = three();\n}\n', ['One']],
  ['swift', 'struct One {\n  func two(x: Int) -> Int { three(x) }\n}\nprotocol Four {}\n', ['One', 'two', 'Four']],
  ['scala', 'object One {\n  def two(x: Int) = three(x)\n}\ntrait Four\n', ['One', 'two', 'Four']],
  ['elixir', 'defmodule One do\n  def two(x), do: three(x)\nend\n', ['One', 'two']],
  ['csharp', 'public class One {\n  public int Two(int x) { return Three(x); }\n}\n', ['One']],
  ['plaintext', 'class One\ndef two\n', []],
]

for (const [language, code, names] of samples)
  test(`the symbols of ${language}`, async () => {
    const html = (await highlight(language, code)) ?? ''
    expect(symbolsOf(html.split('\n')).map(({ name }) => name)).toEqual(names)
  })

test('hostile lines cost little, and their count is limited', () => {
  const line = `<span class="h-k">class</span> <span class="h-t">A</span>`
  expect(symbolsOf(Array(2_000).fill(line))).toHaveLength(500)
  expect(symbolsOf([`<span class="h-k">class</span>${' '.repeat(5_000)}`, '<span class="h-k">class</span>'.repeat(60)])).toEqual([])
})
