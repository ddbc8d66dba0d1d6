/** The licence of a project by its name, as its text has it. */

import { readBlob } from '../../../git/objects/blobs.ts'
import { objectInfo } from '../../../git/objects/read.ts'
import type { ListedEntry } from '../../../git/objects/trees.ts'
import type { Repo } from '../../../git/repository/repository.ts'
import { t } from '../../../html/sentences.ts'

/** The longest that people use has 35 KB. */
const max_bytes = 64 * 1024

/** Names by what their texts alone have, without commas; the narrower come first. */
const licences = (): ReadonlyArray<readonly [name: string, mark: RegExp]> => [
  ['AGPL 3.0', /GNU AFFERO GENERAL PUBLIC LICENSE Version 3/i],
  ['LGPL 3.0', /GNU LESSER GENERAL PUBLIC LICENSE Version 3/i],
  ['LGPL 2.1', /GNU LESSER GENERAL PUBLIC LICENSE Version 2\.1/i],
  ['GPL 3.0', /GNU GENERAL PUBLIC LICENSE Version 3/i],
  ['GPL 2.0', /GNU GENERAL PUBLIC LICENSE Version 2/i],
  [t`Apache 2.0`, /Apache License Version 2\.0/i],
  ['MPL 2.0', /Mozilla Public License Version 2\.0/i],
  ['EPL 2.0', /Eclipse Public License - v 2\.0/i],
  ['BSD 3-Clause', /Redistribution and use in source and binary forms.*Neither the name of/i],
  ['BSD 2-Clause', /Redistribution and use in source and binary forms/i],
  ['ISC', /Permission to use copy modify and(\/or)? distribute this software for any purpose/i],
  ['MIT', /Permission is hereby granted free of charge to any person obtaining a copy/i],
  [t`Unlicense`, /This is free and unencumbered software released into the public domain/i],
  ['CC0 1.0', /CC0 1\.0 Universal/i],
]

/** Null for another text. */
export function licenceIn(text: string): string | null {
  const plain = text.replaceAll(/[\s,]+/g, ' ')
  return licences().find(([, mark]) => mark.test(plain))?.[0] ?? null
}

/** The file of a licence among those of the root, with its name; null where there is none. No process but the reader's. */
export async function licenceOf(repo: Repo, rows: readonly ListedEntry[]): Promise<{ entry: ListedEntry; name: string | null } | null> {
  const entry = rows.find(({ type, mode, name }) => type === 'blob' && mode !== '120000' && /^(un)?licen[sc]e|^copying/i.test(name))
  if (!entry) return null
  const info = await objectInfo(repo, entry.oid)
  if (!info || info.size > max_bytes) return { entry, name: null }
  return { entry, name: licenceIn((await readBlob(repo, entry.oid))?.data.toString('utf8') ?? '') }
}
