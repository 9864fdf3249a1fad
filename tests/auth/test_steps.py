"""Steps show nothing that is secret."""

from dragoman.auth.secret import Secret
from dragoman.auth.steps import Fetch, FetchReply, Keep, KeyPair, Sign


def test_steps_show_no_secret() -> None:
    request = Fetch("POST", "https://a/token?code=hush", (("authorization", "hush"),), b"hush")
    shown = [
        repr(request),
        repr(FetchReply(200, (("x", "hush"),), b"hush")),
        repr(Keep("key", b"hush", b"hush")),
        repr(KeyPair("ES256", Secret("hush"), {})),
        repr(Sign(Secret("hush"), {}, {})),
    ]

    assert "hush" not in "".join(shown)
    assert shown[:3] == ["Fetch(POST https://a/token)", "FetchReply(200)", "Keep('key')"]


def test_header_is_found_whatever_its_case() -> None:
    reply = FetchReply(200, (("Retry-AFTER", "3"), ("retry-after", "4")))

    assert reply.header("retry-after") == "3"
    assert reply.header("location") is None


def test_body_is_read_as_an_object() -> None:
    assert FetchReply(200, (), b'{"a": 1}').json_object() == {"a": 1}
    assert FetchReply(200, (), b'\xef\xbb\xbf{"a": 1}').json_object() == {"a": 1}
    assert [FetchReply(200, (), each).json_object() for each in (b"[]", b"x", b"\xff", b'"\xff"', b"[" * 100_000)] == [
        None
    ] * 5
