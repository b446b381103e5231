import type { Ctx } from '../db/context.ts'
import { newPorts } from '../kernel/ports.ts'
import type { Scope } from '../kernel/scopes.ts'

/** The rows in which a place of media files is stored. The id of the brand is that of its account. */
export type PlaceKind = 'email' | 'step' | 'reusableBlock' | 'template' | 'brand'

/** An object in which a media file is used. */
export interface MediaPlace {
  readonly type:
    | 'Campaign'
    | 'SequenceStage'
    | 'Form'
    | 'Funnel'
    | 'FunnelStep'
    | 'ReusableBlock'
    | 'EmailTemplate'
    | 'Brand'
  readonly id: number
  /** Its name, after that of the object that it belongs to. */
  readonly title: string
  /** Scope that a key needs to read it. */
  readonly needs: Scope
}

/** What the owner of a kind of places provides. */
export interface PlaceSource {
  /** Finds the objects that are shown for rows, by the id of the row. */
  readonly find: (ctx: Ctx, ids: readonly number[]) => Promise<ReadonlyMap<number, MediaPlace>>
  /**
   * Replaces parts of the stored texts of rows with others of the same length, and emits the events of their objects. **Throws**
   * FORBIDDEN if the key may not change them.
   */
  readonly replace: (tx: Ctx, ids: readonly number[], parts: ReadonlyMap<string, string>) => Promise<void>
}

/** A place in which a reusable block is shown: a node of a higher module. */
export interface BlockPlace {
  readonly type: string
  readonly id: number
  readonly name: string
}

/** What the modules above this one provide to it. */
export interface Ports {
  readonly mediaPlaces: Readonly<Record<PlaceKind, PlaceSource>>
  /**
   * Has all messages of blocks made again that are not fixed yet, in the transaction that changes the brand. With the id of a
   * reusable block, those that contain it.
   */
  remakeMessages(tx: Ctx, reusableBlockId?: number): Promise<void>
  /** Returns the places of messages that are not fixed yet and contain reusable blocks, by id of the block. */
  placesOfBlocks(ctx: Ctx, ids: readonly number[]): Promise<Map<number, BlockPlace[]>>
}

/** The ports; `server/ports.ts` fills them. */
export const ports = newPorts<Ports>('content')
