import { type GraphQLFieldResolver, type GraphQLSchema, getNamedType, isLeafType, isObjectType } from 'graphql'
import { inSpan } from '../../kernel/telemetry/tracing.ts'

type Resolver = GraphQLFieldResolver<unknown, object>

/**
 * Changes the resolvers of a schema so that those of objects and lists run in a span of the name `Type.field`. Of a field that
 * an operation resolves many times, only the first call has one: the others are loaded with it.
 */
export function traceResolvers(schema: GraphQLSchema): void {
  const traced = new WeakMap<object, Set<string>>()
  const isFirst = (ctx: object, name: string) => {
    const names = traced.get(ctx) ?? new Set()
    traced.set(ctx, names)
    return names.size < names.add(name).size
  }
  const trace =
    (name: string, resolve: Resolver): Resolver =>
    (...args) =>
      isFirst(args[2], name)
        ? inSpan(
            () => ({ name }),
            () => resolve(...args),
          )
        : resolve(...args)
  for (const type of Object.values(schema.getTypeMap())) {
    if (!isObjectType(type) || type.name.startsWith('__')) continue
    for (const field of Object.values(type.getFields())) {
      const { resolve } = field
      const isRoot = type === schema.getQueryType() || type === schema.getMutationType()
      if (resolve && (isRoot || !isLeafType(getNamedType(field.type))))
        field.resolve = trace(`${type.name}.${field.name}`, resolve)
    }
  }
}
