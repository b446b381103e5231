import {
  type Announcements,
  type CollisionDetection,
  DndContext,
  type DroppableContainer,
  type KeyboardCoordinateGetter,
  KeyboardSensor,
  MouseSensor,
  pointerWithin,
  TouchSensor,
  useSensor,
  useSensors,
} from '@dnd-kit/core'
import { SortableContext, verticalListSortingStrategy } from '@dnd-kit/sortable'
import { t } from '@lingui/core/macro'
import { Empty } from '../../shared/layout/screen.tsx'
import { once } from '../model/kinds.ts'
import { type Block, moveTo, type Tree } from '../model/tree.ts'
import type { ChangeTree } from '../model/use-history.ts'
import { type Draggable, type Remarks, useEditing, useParts, useStable } from './editor.ts'
import { SectionItem } from './section-item.tsx'
import { canvasStyle } from './views.tsx'

interface CanvasProps extends Remarks {
  readonly tree: Tree
  readonly selectedId: string | undefined
  readonly change: ChangeTree
}

const draggableOf = ({ data }: { readonly data: DroppableContainer['data'] }) => data.current as Draggable | undefined

/**
 * The place under the pointer, or else the one whose upper left corner is nearest: a chosen block is much higher than the others
 * because of its settings, so that its centre says little.
 */
const collide: CollisionDetection = (args) => {
  const isSection = draggableOf(args.active)?.isSection
  const droppableContainers = args.droppableContainers.filter((each) => draggableOf(each)?.isSection === isSection)
  const within = pointerWithin({ ...args, droppableContainers })
  if (within.length > 0) return within
  const { left, top } = args.collisionRect
  return droppableContainers
    .flatMap(({ id }) => {
      const rect = args.droppableRects.get(id)
      return rect ? [{ id, distance: Math.hypot(rect.left - left, rect.top - top) }] : []
    })
    .sort((one, other) => one.distance - other.distance)
}

const steps: Readonly<Record<string, number>> = { ArrowDown: 1, ArrowRight: 1, ArrowUp: -1, ArrowLeft: -1 }

/** The arrow keys move from place to place in the order of reading, also into the next column and section. */
const byKeyboard: KeyboardCoordinateGetter = (
  event,
  { context: { active, over, droppableContainers, droppableRects } },
) => {
  const step = steps[event.code]
  if (step === undefined || !active) return undefined
  event.preventDefault()
  const isSection = draggableOf(active)?.isSection
  const places = droppableContainers
    .getEnabled()
    .filter((each) => draggableOf(each)?.isSection === isSection)
    .toSorted(({ node: { current: one } }, { node: { current: other } }) =>
      one && other && one.compareDocumentPosition(other) & 4 ? -1 : 1,
    )
  const next = places[places.findIndex(({ id }) => id === (over?.id ?? active.id)) + step]
  const rect = next && droppableRects.get(next.id)
  return rect && { x: rect.left, y: rect.top }
}

const nameOf = (item: { readonly data: DroppableContainer['data'] } | null) => (item && draggableOf(item)?.label) ?? ''

const announcements: Announcements = {
  onDragStart: ({ active }) => t`${nameOf(active)} is lifted.`,
  onDragOver: ({ active, over }) => (over ? t`${nameOf(active)} is at the place of ${nameOf(over)}.` : undefined),
  onDragEnd: ({ active, over }) => (over ? t`${nameOf(active)} was moved.` : t`${nameOf(active)} stays where it was.`),
  onDragCancel: ({ active }) => t`${nameOf(active)} stays where it was.`,
}

// The same objects each time: others would render each block again for a character that is typed.
const mouse = { activationConstraint: { distance: 6 } }
const touch = { activationConstraint: { delay: 250, tolerance: 8 } }
const keyboard = { coordinateGetter: byKeyboard }

const accessibilityOf = once(() => ({
  announcements,
  screenReaderInstructions: {
    draggable: t`The space bar lifts it, the arrow keys move it, the space bar puts it down, and Escape takes the move back.`,
  },
}))

/** The sections of a document with their blocks, as readers see them. The chosen block is edited in its place. */
export function Canvas({ tree, selectedId, change, ...remarks }: CanvasProps) {
  const { model } = useEditing()
  const parts = useParts()
  const sensors = useSensors(
    useSensor(MouseSensor, mouse),
    useSensor(TouchSensor, touch),
    useSensor(KeyboardSensor, keyboard),
  )
  const ids = useStable(tree.sections.map(({ id }) => id))
  return (
    <DndContext
      sensors={sensors}
      collisionDetection={collide}
      accessibility={accessibilityOf()}
      onDragEnd={({ active, over }) => {
        if (over) change((before) => moveTo(before, String(active.id), String(over.id)))
      }}
    >
      <div className="canvas" style={canvasStyle(parts, tree.values)}>
        {tree.sections.length === 0 && <Empty>{t`There is nothing yet. Add a block to begin.`}</Empty>}
        <SortableContext items={ids} strategy={verticalListSortingStrategy}>
          {tree.sections.map((section, index) => (
            <SectionItem
              key={section.id}
              section={section}
              index={index}
              count={tree.sections.length}
              selectedId={selectedIn(section, selectedId)}
              isFlat={model.isFlat === true}
              remarks={remarks.faults.size + remarks.notes.size + remarks.hidden.size > 0 ? remarks : undefined}
            />
          ))}
        </SortableContext>
      </div>
    </DndContext>
  )
}

/** Returns the chosen id if it is in a section, so that the other sections are not rendered again. */
function selectedIn(section: Block, id: string | undefined): string | undefined {
  if (id === undefined || section.id === id) return id
  const isIn = (block: Block): boolean => block.id === id || (block.children?.some(isIn) ?? false)
  return isIn(section) ? id : undefined
}
