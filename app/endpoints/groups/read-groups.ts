import type { Keyed } from '../../../queries/groups/select-groups.ts'
import type { Query, Reader } from '../../../queries/sql/query.ts'
import type { Page } from '../../pipeline/page.ts'
import { withDetails } from './with-details.ts'

interface GroupQueries<Filter, Position, Row, Texts, Details, NoTotals> {
  readonly list: (filter: Filter, after: Position | undefined, limit: number) => Query<Row>
  readonly texts: (filter: Filter, groups: readonly Row[]) => readonly Query<Texts>[]
  readonly details: (filter: Filter, groups: readonly Row[]) => readonly Query<Details>[]
  /** Totals of a window without groups. */
  readonly noTotals: NoTotals
}

/** A page of groups with their texts and details, and the totals of all groups. */
export async function readGroups<
  Filter,
  Position,
  Row extends Keyed & { readonly isListed: boolean },
  Texts extends Keyed,
  Details extends Keyed,
  NoTotals,
>(
  { page, read, readAll }: Reader & { readonly page: Page<NoInfer<Row>, Position> },
  filter: Filter,
  { list, texts, details, noTotals }: GroupQueries<Filter, Position, Row, Texts, Details, NoTotals>,
) {
  const rows = await read(list(filter, page.after, page.rows))
  const { data, ...paging } = page.cut(rows.filter(({ isListed }) => isListed))
  const [foundTexts, foundDetails] = await Promise.all([readAll(texts(filter, data)), readAll(details(filter, data))])
  const groups = withDetails(withDetails(data, foundTexts), foundDetails)
  return { groups, totals: rows[0] ?? noTotals, paging }
}
