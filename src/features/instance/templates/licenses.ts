/** License templates, with their conditions and permissions. */
import { createRequire } from 'node:module'
import { apache } from './apache.ts'
import { bsd2, bsd3, mit, unlicense } from './license-texts.ts'

export interface License {
  key: string
  name: string
  nickname: string | null
  popular: boolean
  html_url: string
  source_url: string
  description: string
  conditions: string[]
  permissions: string[]
  limitations: string[]
  content: string
}

const use = ['commercial-use', 'modifications', 'distribution', 'private-use']
const useAndPatents = ['commercial-use', 'modifications', 'distribution', 'patent-use', 'private-use']
const noPromise = ['liability', 'warranty']
const sameLicense = ['include-copyright', 'document-changes', 'disclose-source', 'same-license']

interface Described extends Partial<Pick<License, 'nickname' | 'popular' | 'conditions' | 'permissions' | 'limitations'>> {
  name: string
  source: string
  description: string
  /** The text, or its SPDX name. */
  text: string | { spdx: string }
}

const described: Record<string, Described> = {
  'agpl-3.0': {
    name: 'GNU Affero General Public License v3.0',
    nickname: 'GNU AGPLv3',
    source: 'https://www.gnu.org/licenses/agpl-3.0.txt',
    description: 'As the GNU GPLv3, and whoever uses a changed version over a network is offered its source too.',
    conditions: ['include-copyright', 'document-changes', 'disclose-source', 'network-use-disclose', 'same-license'],
    permissions: useAndPatents,
    text: { spdx: 'AGPL-3.0-only' },
  },
  'apache-2.0': {
    name: 'Apache License 2.0',
    popular: true,
    source: 'https://www.apache.org/licenses/LICENSE-2.0',
    description: 'Allows everything while notices are kept and changes are named, and grants the patents of those who contribute.',
    conditions: ['include-copyright', 'document-changes'],
    permissions: useAndPatents,
    limitations: ['trademark-use', ...noPromise],
    text: apache,
  },
  'bsd-2-clause': {
    name: 'BSD 2-Clause "Simplified" License',
    source: 'https://opensource.org/licenses/BSD-2-Clause',
    description: 'Allows everything while the notice is kept, in source and in binary form.',
    text: bsd2,
  },
  'bsd-3-clause': {
    name: 'BSD 3-Clause "New" or "Revised" License',
    source: 'https://opensource.org/licenses/BSD-3-Clause',
    description: 'As with two clauses, and nobody may advertise with the names of those who made it.',
    text: bsd3,
  },
  'epl-2.0': {
    name: 'Eclipse Public License 2.0',
    source: 'https://www.eclipse.org/legal/epl-2.0',
    description: 'Changes stay under the license and come with their source; other parts of a larger program need not.',
    conditions: ['disclose-source', 'include-copyright', 'same-license'],
    permissions: useAndPatents,
    text: { spdx: 'EPL-2.0' },
  },
  'gpl-2.0': {
    name: 'GNU General Public License v2.0',
    nickname: 'GNU GPLv2',
    source: 'https://www.gnu.org/licenses/gpl-2.0.txt',
    description: 'Whoever passes the program on, changed or not, passes on its source and the same freedoms.',
    conditions: sameLicense,
    text: { spdx: 'GPL-2.0-only' },
  },
  'gpl-3.0': {
    name: 'GNU General Public License v3.0',
    nickname: 'GNU GPLv3',
    popular: true,
    source: 'https://www.gnu.org/licenses/gpl-3.0.txt',
    description: 'Whoever passes the program on passes on its source, the same freedoms, and the patents they need.',
    conditions: sameLicense,
    permissions: useAndPatents,
    text: { spdx: 'GPL-3.0-only' },
  },
  'lgpl-2.1': {
    name: 'GNU Lesser General Public License v2.1',
    nickname: 'GNU LGPLv2.1',
    source: 'https://www.gnu.org/licenses/lgpl-2.1.txt',
    description: 'For libraries: changes to the library stay free, programs that only use it may have any license.',
    conditions: ['include-copyright', 'disclose-source', 'document-changes', 'same-license--library'],
    text: { spdx: 'LGPL-2.1-only' },
  },
  'lgpl-3.0': {
    name: 'GNU Lesser General Public License v3.0',
    nickname: 'GNU LGPLv3',
    source: 'https://www.gnu.org/licenses/lgpl-3.0.txt',
    description: 'As version 2.1 for libraries, on top of the GNU GPLv3, with its grant of patents.',
    conditions: ['include-copyright', 'disclose-source', 'document-changes', 'same-license--library'],
    permissions: useAndPatents,
    text: { spdx: 'LGPL-3.0-only' },
  },
  mit: {
    name: 'MIT License',
    popular: true,
    source: 'https://opensource.org/licenses/MIT',
    description: 'Allows everything while the notice is kept. Short, and known everywhere.',
    text: mit,
  },
  'mpl-2.0': {
    name: 'Mozilla Public License 2.0',
    source: 'https://www.mozilla.org/media/MPL/2.0/index.txt',
    description: 'Each file that is changed stays under the license with its source; files beside it need not.',
    conditions: ['disclose-source', 'include-copyright', 'same-license--file'],
    permissions: useAndPatents,
    limitations: ['liability', 'trademark-use', 'warranty'],
    text: { spdx: 'MPL-2.0' },
  },
  unlicense: {
    name: 'The Unlicense',
    source: 'https://unlicense.org/UNLICENSE',
    description: 'Gives the work to the public, with no condition at all.',
    conditions: [],
    text: unlicense,
  },
}

const load = createRequire(import.meta.url)

/** Long texts come from the SPDX list, which is only read when it is needed. */
function textOf(text: Described['text']): string {
  if (typeof text === 'string') return text
  const { licenseText } = load(`spdx-license-list/licenses/${text.spdx}.json`) as { licenseText: string }
  return `${licenseText.trimEnd()}\n`
}

/** Keyed by license key. */
export const licenses: License[] = Object.entries(described).map(([key, { name, source, description, text, ...rest }]) => ({
  key,
  name,
  nickname: rest.nickname ?? null,
  popular: rest.popular ?? false,
  html_url: `http://choosealicense.com/licenses/${key}/`,
  source_url: source,
  description,
  conditions: rest.conditions ?? ['include-copyright'],
  permissions: rest.permissions ?? use,
  limitations: rest.limitations ?? noPromise,
  get content() {
    return textOf(text)
  },
}))

/** Fills in year, holder and project, whichever placeholders the license uses. */
export function fillIn(
  text: string,
  { year, fullname, project }: { year: string; fullname?: string | undefined; project?: string | undefined },
) {
  return text
    .replace(
      /(Copyright \(C\) )(?:<year>|yyyy|year)( +)(<name of author>|name of author)/g,
      (_, word: string, gap: string, place: string) => [word, year, gap, fullname || place].join(''),
    )
    .replace(/\[(year|yyyy)\]/g, () => year)
    .replace(/\[(fullname|name of copyright owner)\]/g, (place) => fullname || place)
    .replace(
      /\[project\]|<?one line to give the (program|library)'s name and (a brief|an) idea of what it does\.>?/g,
      (place) => project || place,
    )
}
