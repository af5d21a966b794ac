%% The ring in Erlang: a process per node, and every process has its mailbox.
%%
%%     erl -noshell -run ring main stream 300 10000
%%
%% A feeder sends the numbers 0, 1, 2 ... when it is told how many; each node forwards them; the caller checks that all
%% come round in order. It prints the seconds from the first message sent to the last one received, as JSON.
-module(ring).
-export([main/1]).

main([Kind, Nodes, Messages]) ->
    process_flag(trap_exit, false), % `-run` sets it: then the end of a process would be a message
    try measure(Kind, list_to_integer(Nodes), list_to_integer(Messages)) of
        Seconds ->
            io:format("{\"seconds\": ~.9f, \"version\": \"OTP ~s\", \"cpus\": ~b}~n",
                      [Seconds, erlang:system_info(otp_release), erlang:system_info(schedulers_online)]),
            halt(0)
    catch
        _:Reason ->
            io:format(standard_error, "~p~n", [Reason]),
            halt(1)
    end.

measure(Kind, Nodes, Messages) ->
    First = chain(Nodes, self()),
    Feeder = spawn_link(fun() -> feed(First) end),
    stream(Feeder, 1), % one message warms up
    Started = erlang:monotonic_time(nanosecond),
    case Kind of
        "stream" -> stream(Feeder, Messages);
        "token" -> token(First, 0, Messages)
    end,
    Took = erlang:monotonic_time(nanosecond) - Started,
    Feeder ! stop,
    expect(stop),
    Took / 1.0e9.

%% Starts the nodes, the last one first: each must know whom to send to. Returns node 1.
chain(0, Next) -> Next;
chain(Nodes, Next) -> chain(Nodes - 1, spawn_link(fun() -> forward(Next) end)).

forward(Next) ->
    receive
        stop -> Next ! stop;
        Message -> Next ! Message, forward(Next)
    end.

feed(First) ->
    receive
        stop -> First ! stop;
        Messages -> send(First, 0, Messages), feed(First)
    end.

send(_, Messages, Messages) -> ok;
send(First, Number, Messages) ->
    First ! Number,
    send(First, Number + 1, Messages).

stream(Feeder, Messages) ->
    Feeder ! Messages,
    collect(0, Messages).

collect(Messages, Messages) -> ok;
collect(Number, Messages) ->
    expect(Number),
    collect(Number + 1, Messages).

token(_, Messages, Messages) -> ok;
token(First, Number, Messages) ->
    First ! Number,
    expect(Number),
    token(First, Number + 1, Messages).

%% Whatever comes next must be this.
expect(Due) ->
    receive
        Due -> ok;
        Came -> error({came, Came, due, Due})
    end.
