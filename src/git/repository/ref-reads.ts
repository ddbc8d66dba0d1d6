/** Records which refs an answer depends on, so that it can be kept until one of them may have moved. */

export interface RefReads {
  /** False once something was read whose state can't be compared later. */
  isKnown: boolean
  /** Refs by full name, with the state they had. */
  refs: { names: string[]; state: string }[]
  /** All branches or all tags, with the state they had. */
  kinds: { kind: 'heads' | 'tags'; state: string }[]
}

export function refReads(): RefReads {
  return { isKnown: true, refs: [], kinds: [] }
}

/** Notes that what was read depends on more than the state of refs. */
export function noteUnknown({ reads }: { readonly reads?: RefReads }): void {
  if (reads) reads.isKnown = false
}
