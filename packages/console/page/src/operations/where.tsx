import { Ago } from 'webhook-inbox-ui'
import { pathPart } from '../../../src/path-part.js'
import type { GroupDetail } from '../../../src/wire.js'
import { can } from '../me.js'
import { hrefOf } from '../route.js'
import { useView } from '../use-view.js'

type Conditions = Readonly<Record<string, string | undefined>>

const times = ['since', 'until']

/** The conditions of an operation, one in a line. A cause has its title. */
export function WhereList({ where }: { readonly where: Conditions }) {
  return (
    <dl class="life">
      {Object.entries(where).map(([name, value = '']) => [
        <dt key={name}>{name === 'group' ? 'cause' : name}</dt>,
        <dd key={`${name} value`} class={['group', ...times].includes(name) ? undefined : 'mono'}>
          {name === 'group' ? <Cause id={value} /> : <Value name={name} value={value} />}
        </dd>,
      ])}
    </dl>
  )
}

/** The conditions of an operation in one line. `titles` are those of the causes that are known. */
export function WhereWords({
  where,
  titles,
}: {
  readonly where: Conditions
  readonly titles: ReadonlyMap<string, string>
}) {
  const given = Object.entries(where)
  return (
    <>
      {given.length === 0 && 'no condition'}
      {given.map(([name, value = ''], at) => (
        <span key={name}>
          {at > 0 && ', '}
          {name === 'group' ? (
            `cause ${titles.get(value) ?? value}`
          ) : (
            <>
              {name} <Value name={name} value={value} />
            </>
          )}
        </span>
      ))}
    </>
  )
}

/** A time as everywhere else on the page. The address may contain anything. */
const Value = ({ name, value }: { readonly name: string; readonly value: string }) => (
  <>{times.includes(name) && !Number.isNaN(Date.parse(value)) ? <Ago at={value} /> : value}</>
)

/** The title of a cause; its id until that is known, and where it is not kept any more. */
function Cause({ id }: { readonly id: string }) {
  const { value } = useView<GroupDetail>(can('failures') ? `groups/${pathPart(id)}` : undefined)
  return <a href={hrefOf('failures', id)}>{value ? value.title : id}</a>
}
