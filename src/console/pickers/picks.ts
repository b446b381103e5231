import {
  PickCampaignsDocument,
  PickFormsDocument,
  PickFunnelsDocument,
  PickMediaDocument,
  PickOutcomesDocument,
  PickPicturesDocument,
  PickSegmentsDocument,
  PickSequencesDocument,
  PickStagesDocument,
  PickStepsDocument,
  PickTagsDocument,
  PickTopicsDocument,
} from '../generated/pickers.documents.ts'

/** An object that can be chosen. */
export interface Choice {
  readonly databaseId: number
  readonly name: string
}

/** The query of each kind of objects that can be chosen. */
export const documents = {
  tags: PickTagsDocument,
  topics: PickTopicsDocument,
  segments: PickSegmentsDocument,
  sequences: PickSequencesDocument,
  forms: PickFormsDocument,
  funnels: PickFunnelsDocument,
  campaigns: PickCampaignsDocument,
  stages: PickStagesDocument,
  outcomes: PickOutcomesDocument,
  steps: PickStepsDocument,
  media: PickMediaDocument,
  pictures: PickPicturesDocument,
} as const

export type PickKind = keyof typeof documents

/** An object of a list, or one that has the objects to choose. */
interface Candidate extends Choice {
  readonly parts?: readonly Choice[] | null
}

interface Candidates {
  readonly nodes: readonly Candidate[]
  readonly pageInfo: { readonly hasNextPage: boolean }
}

/** Returns the page of a list. A list without pages is searched here. */
export function pageOf(
  list: Candidates | readonly Candidate[] | null | undefined,
  search: string | null,
): Candidates | undefined {
  if (!list || 'nodes' in list) return list ?? undefined
  const nodes = list.filter(({ name }) => name.toLowerCase().includes((search ?? '').toLowerCase()))
  return { nodes, pageInfo: { hasNextPage: false } }
}

/** Returns the objects to choose. Parts of an object have its name, because many sequences have a first stage. */
export function choicesIn(nodes: readonly Candidate[] | undefined): readonly Choice[] {
  return (nodes ?? []).flatMap(({ databaseId, name, parts }) =>
    parts === undefined
      ? [{ databaseId, name }]
      : (parts ?? []).map((part) => ({ databaseId: part.databaseId, name: `${name}: ${part.name}` })),
  )
}
