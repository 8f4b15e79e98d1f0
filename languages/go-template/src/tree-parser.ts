import type { BranchNode, ListNode, PipeNode, StatementNode, TemplateTree } from './ast.ts';
import type { Lexer } from './lexer.ts';
import type { ParseLimits } from './limits.ts';
import type { ParserState } from './parser-state.ts';
import { PipelineParser } from './pipeline-parser.ts';
import { quote, unquote } from './quoting.ts';
import { parseError, sourcePosition, TemplateFailure } from './template-error.ts';
import { describeToken, type Token, type TokenKind } from './token.ts';
import { TokenStream } from './token-stream.ts';

export interface TreeParserInput {
  readonly name: string;
  /** The name of the whole source, which errors show. */
  readonly parseName: string;
  readonly source: string;
  readonly lexer: Lexer;
  readonly trees: Map<string, TemplateTree>;
  readonly limits: ParseLimits;
  readonly isFunction: (name: string) => boolean;
}

type EndNode = { readonly kind: 'end' | 'else'; readonly at: number };

/** Parses the statements of one template (text/template/parse.Tree). A `define` inside gets its own. */
export class TreeParser implements ParserState {
  readonly input: TreeParserInput;
  readonly tokens: TokenStream;
  readonly #pipelines: PipelineParser;
  #rangeDepth = 0;
  #depth: number;
  #actionLine = 0;

  constructor(input: TreeParserInput, depth = 0) {
    this.input = input;
    this.tokens = new TokenStream(input.lexer);
    this.#pipelines = new PipelineParser(this);
    this.#depth = depth;
  }

  parseAll(): void {
    const nodes: StatementNode[] = [];
    const at = this.tokens.peek().at;
    while (this.tokens.peek().kind !== 'eof') {
      if (this.tokens.peek().kind === 'left-delimiter') {
        const delimiter = this.tokens.next();
        if (this.tokens.nextNonSpace().kind === 'define') {
          this.#inner('definition').#parseDefinition();
          continue;
        }
        this.tokens.backupTwo(delimiter);
      }
      const node = this.#textOrAction();
      if (isEnd(node)) this.fail(`unexpected {{${node.kind}}}`);
      nodes.push(node);
    }
    this.#add({ name: this.input.name, root: { kind: 'list', at, nodes } });
  }

  /** Stops with a parse error on Go's line for it. */
  fail(message: string): never {
    const latest = this.tokens.latest;
    const { line, column } = sourcePosition(this.input.source, latest.at);
    throw new TemplateFailure(
      parseError({
        name: this.input.parseName,
        line: latest.line,
        column: line === latest.line ? column : 1,
        message,
      }),
    );
  }

  unexpected(token: Token, context: string): never {
    if (token.kind !== 'error') this.fail(`unexpected ${describeToken(token)} in ${context}`);
    if (this.#actionLine === 0 || this.#actionLine === token.line) this.fail(token.text);
    const where = ` in action started at ${this.input.parseName}:${this.#actionLine}`;
    this.fail(token.text + (token.text.endsWith(' action') ? where.slice(' in action'.length) : where));
  }

  expect(kind: TokenKind, context: string): Token {
    const token = this.tokens.nextNonSpace();
    return token.kind === kind ? token : this.unexpected(token, context);
  }

  /** Runs a nested part, and refuses nesting beyond the limit. */
  nested<T>(parse: () => T): T {
    if (this.#depth >= this.input.limits.parseDepth) {
      const { line } = this.tokens.latest;
      const { column } = sourcePosition(this.input.source, this.tokens.latest.at);
      const message = 'max expression depth exceeded';
      throw new TemplateFailure(
        parseError({ name: this.input.parseName, line, column, message, code: 'limit' }),
      );
    }
    this.#depth += 1;
    const result = parse();
    this.#depth -= 1;
    return result;
  }

  #inner(name: string): TreeParser {
    return new TreeParser({ ...this.input, name }, this.#depth);
  }

  #parseDefinition(): void {
    const context = 'define clause';
    const name = this.#templateName(this.tokens.nextNonSpace(), context);
    this.expect('right-delimiter', context);
    this.#finish(name, context);
  }

  #finish(name: string, context: string): void {
    const { list, end } = this.#itemList();
    if (end.kind !== 'end') this.fail(`unexpected {{${end.kind}}} in ${context}`);
    this.#add({ name, root: list });
  }

  #add(tree: TemplateTree): void {
    const present = this.input.trees.get(tree.name);
    if (present === undefined || isEmptyList(present.root)) {
      this.input.trees.set(tree.name, tree);
    } else if (!isEmptyList(tree.root)) {
      this.fail(`template: multiple definition of template ${quote(tree.name)}`);
    }
  }

  #itemList(): { list: ListNode; end: EndNode } {
    const nodes: StatementNode[] = [];
    const at = this.tokens.peekNonSpace().at;
    while (this.tokens.peekNonSpace().kind !== 'eof') {
      const node = this.#textOrAction();
      if (isEnd(node)) return { list: { kind: 'list', at, nodes }, end: node };
      nodes.push(node);
    }
    return this.fail('unexpected EOF');
  }

  #textOrAction(): StatementNode | EndNode {
    const token = this.tokens.nextNonSpace();
    if (token.kind === 'text') return { kind: 'text', at: token.at, text: token.text };
    if (token.kind !== 'left-delimiter') return this.unexpected(token, 'input');
    this.#actionLine = token.line;
    const node = this.#action();
    this.#actionLine = 0;
    return node;
  }

  #action(): StatementNode | EndNode {
    const token = this.tokens.nextNonSpace();
    switch (token.kind) {
      case 'block':
        return this.nested(() => this.#block());
      case 'break':
      case 'continue':
        return this.#loopControl(token, token.kind);
      case 'else':
        return this.#else();
      case 'end':
        return { kind: 'end', at: this.expect('right-delimiter', 'end').at };
      case 'if':
      case 'range':
      case 'with':
        return this.#control(token.kind);
      case 'template':
        return this.#templateCall();
      default:
        this.tokens.backup();
        return {
          kind: 'action',
          at: this.tokens.peek().at,
          pipe: this.#pipelines.parse('command', 'right-delimiter'),
        };
    }
  }

  #loopControl(token: Token, kind: 'break' | 'continue'): StatementNode {
    const next = this.tokens.nextNonSpace();
    if (next.kind !== 'right-delimiter') this.unexpected(next, `{{${kind}}}`);
    if (this.#rangeDepth === 0) this.fail(`{{${kind}}} outside {{range}}`);
    return { kind, at: token.at };
  }

  #else(): EndNode {
    const next = this.tokens.peekNonSpace();
    if (next.kind === 'if' || next.kind === 'with') return { kind: 'else', at: next.at };
    return { kind: 'else', at: this.expect('right-delimiter', 'else').at };
  }

  #control(kind: 'if' | 'range' | 'with'): BranchNode {
    return this.nested(() => {
      const scope = this.#pipelines.scope();
      const pipe = this.#pipelines.parse(kind, 'right-delimiter');
      if (kind === 'range') this.#rangeDepth += 1;
      const { list, end } = this.#itemList();
      if (kind === 'range') this.#rangeDepth -= 1;
      const elseList = end.kind === 'else' ? this.#elseList(kind, end) : undefined;
      this.#pipelines.endScope(scope);
      return { kind, at: pipe.at, pipe, list, ...(elseList === undefined ? {} : { elseList }) };
    });
  }

  #elseList(kind: 'if' | 'range' | 'with', end: EndNode): ListNode {
    if (kind !== 'range' && this.tokens.peek().kind === kind) {
      this.tokens.next();
      return { kind: 'list', at: end.at, nodes: [this.#control(kind)] };
    }
    const otherwise = this.#itemList();
    if (otherwise.end.kind !== 'end') this.fail(`expected end; found {{${otherwise.end.kind}}}`);
    return otherwise.list;
  }

  #block(): StatementNode {
    const context = 'block clause';
    const token = this.tokens.nextNonSpace();
    const name = this.#templateName(token, context);
    const pipe = this.#pipelines.parse(context, 'right-delimiter');
    this.#inner(name).#finish(name, context);
    return { kind: 'template', at: token.at, name, pipe };
  }

  #templateCall(): StatementNode {
    const context = 'template clause';
    const token = this.tokens.nextNonSpace();
    const name = this.#templateName(token, context);
    let pipe: PipeNode | undefined;
    if (this.tokens.nextNonSpace().kind !== 'right-delimiter') {
      this.tokens.backup();
      pipe = this.#pipelines.parse(context, 'right-delimiter');
    }
    return { kind: 'template', at: token.at, name, ...(pipe === undefined ? {} : { pipe }) };
  }

  #templateName(token: Token, context: string): string {
    if (token.kind !== 'string' && token.kind !== 'raw-string') this.unexpected(token, context);
    return unquote(token.text) ?? this.fail('invalid syntax');
  }
}

function isEnd(node: StatementNode | EndNode): node is EndNode {
  return node.kind === 'end' || node.kind === 'else';
}

function isEmptyList(list: ListNode): boolean {
  return list.nodes.every((node) => node.kind === 'text' && node.text.trim() === '');
}
